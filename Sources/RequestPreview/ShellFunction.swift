// Functions that a script of commands may need.

/// A function of POSIX sh, at the head of a script that uses it.
enum ShellFunction: CaseIterable {
  /// `form_encode TEXT` encodes a text as in a form.
  case encode
  /// `aws_sign ID SECRET TIME REGION SERVICE FIELDS REQUEST` prints a field `Authorization`.
  case sign

  /// Lines that define the function.
  var definition: String {
    switch self {
    case .encode:
      """
      # encodes a text as in a form (RFC 6749, section 2.3.1)
      form_encode() {
        printf %s "$1" | od -An -v -tu1 | LC_ALL=C awk '{
          for (i = 1; i <= NF; i++) {
            byte = $i + 0
            printf(byte == 32 ? "+" : sprintf("%c", byte) ~ /[0-9A-Za-z._~-]/ ? "%c" : "%%%02X", byte)
          }
        }'
      }
      """
    case .sign:
      """
      # signs a request (AWS Signature Version 4): aws_sign ID SECRET TIME REGION SERVICE FIELDS REQUEST
      aws_hash() { openssl dgst -sha256 "$@" | sed 's/.*= *//'; }
      aws_sign() {
        # the fields begin at line 4; of their blanks, only single ones between words are signed
        request=$(printf '%s\\n' "$7" |
          LC_ALL=C sed '4,$ { s/[[:blank:]][[:blank:]]*/ /g; s/^\\([^:]*\\): /\\1:/; s/ $//; }')
        scope=${3%T*}/$4/$5/aws4_request
        key=key:AWS4$2
        for part in "${3%T*}" "$4" "$5" aws4_request "AWS4-HMAC-SHA256
      $3
      $scope
      $(printf %s "$request" | aws_hash)"; do
          key=hexkey:$(printf %s "$part" | aws_hash -mac HMAC -macopt "$key")
        done
        [ "$key" != hexkey: ] || return 1
        printf %s "AWS4-HMAC-SHA256 Credential=$1/$scope, SignedHeaders=$6, Signature=${key#hexkey:}"
      }
      """
    }
  }
}
