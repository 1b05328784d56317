// Texts as words of POSIX sh.

import Diagnostics
import FetchPlan
import PipelineSpec
import Primitives

/// One word of a command, quoted for any POSIX shell; stand-ins become the shell's expressions.
struct ShellWord {
  private(set) var text = ""
  /// Commands that end the script if a value is missing, for values whose expression can't do so.
  private(set) var checks: [String] = []
  /// True if the word calls `ShellFunction.encode`.
  private(set) var encodesVariable = false
  /// Quoted text that is still open.
  private var quoted = ""
  private let encodesVariables: Bool
  private let isInPipeline: Bool

  /// - Parameters:
  ///   - encodesVariables: true if the values of variables are encoded as in a form.
  ///   - isInPipeline: true if the shell expands the word in a pipeline, where a missing value does not end the script.
  init(_ word: String, encodesVariables: Bool = false, isInPipeline: Bool = false) {
    self.encodesVariables = encodesVariables
    self.isInPipeline = isInPipeline
    for piece in StandIn.pieces(of: word) {
      switch piece {
      case .text(let text): append(text)
      case .standIn(.template(let spelling)), .standIn(.url(let spelling)): append(spelling)
      case .standIn(.variable(let name)):
        close()
        addValue(of: name)
      }
    }
    if text.isEmpty || !quoted.isEmpty { close(evenIfEmpty: text.isEmpty) }
  }

  private mutating func append(_ text: String) {
    for scalar in text.unicodeScalars {
      if scalar == "'" {
        close()
        self.text += "\\'"
      } else if scalar != "\n", scalar != "\t", String(scalar).printable != String(scalar) {
        // A terminal could take the character for a command.
        close()
        let octal = String(scalar).utf8.map { "\\" + String(Int($0) + 0o1000, radix: 8).dropFirst() }.joined()
        self.text += "\"$(printf '\(octal)')\""
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
  }

  private mutating func close(evenIfEmpty: Bool = false) {
    if evenIfEmpty || !quoted.isEmpty { text += "'\(quoted)'" }
    quoted = ""
  }

  /// Adds the expression for a variable, or for a file that stands for one.
  private mutating func addValue(of name: String) {
    if let file = Template.Hole.file(ofVariable: name) {
      add("\"$(cat \"${CREDENTIALS_DIRECTORY:-/run/secrets}\"/\(ShellWord(file).text))\"", of: "the file '\(file)'")
    } else if Self.isName(name) {
      let expression = "\"${\(name):?}\""
      if encodesVariables || isInPipeline { checks.append(": \(expression)") }
      text += encoded(expression)
    } else {
      add("\"$(printenv -- \(ShellWord(name).text))\"", of: name)
    }
  }

  private mutating func add(_ expression: String, of name: String) {
    text += encoded(expression)
    checks.append("[ -n \(expression) ] || { echo \(ShellWord("\(name) is missing or empty").text) >&2; exit 1; }")
  }

  private mutating func encoded(_ expression: String) -> String {
    guard encodesVariables else { return expression }
    encodesVariable = true
    return "\"$(form_encode \(expression))\""
  }

  /// Reports that a shell can have a variable of that name (POSIX.1-2017, 3.235).
  private static func isName(_ name: String) -> Bool {
    name.utf8.first?.isDigit == false && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
  }
}

// Functions that a script of commands may need.

/// A function of POSIX sh, at the head of a script that uses it.
enum ShellFunction: CaseIterable {
  /// `form_encode TEXT` encodes a text as in a form.
  case encode
  /// `aws_sign ID SECRET TIME REGION SERVICE FIELDS REQUEST` prints a field `Authorization`.
  case sign
  /// `jwt_sign KEY CLAIMS` prints the claims as a signed JSON Web Token.
  case assert

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
    case .assert:
      """
      # signs the claims of a service account by RS256 (RFC 7523): jwt_sign KEY CLAIMS
      jwt_part() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
      jwt_sign() {
        # the key is PEM, or in the JSON that Google gives
        json=$(jq -e . "$1" 2>/dev/null) || json='{}'
        key=$(printf %s "$json" | jq -er .private_key) || key=$(cat -- "$1") || return 1
        head=$(printf %s "$json" | jq -cj '{alg: "RS256", typ: "JWT"} +
          if .private_key_id then {kid: .private_key_id} else {} end' | jwt_part)
        claims=$(printf %s "$json" | jq -cj --argjson claims "$2" '(now | floor) as $now |
          {iss: .client_email} + $claims + {iat: $now, exp: ($now + 300)}' | jwt_part)
        signature=$(printf %s "$head.$claims" | openssl dgst -sha256 -sign /dev/fd/3 3<<END | jwt_part
      $key
      END
        )
        [ -n "$signature" ] && printf %s "$head.$claims.$signature"
      }
      """
    }
  }
}
