// Translation of a request into libcurl's options.

import CCurl
import Wire

extension Request {
  /// Limit for the time to connect, whatever the timeout is.
  static let connectLimit = Duration.seconds(10)

  /// The timeout, limited to the range that can be computed with.
  var stallTimeout: Duration { max(.milliseconds(1), min(timeout, .seconds(10_000_000))) }

  /// The reason why libcurl must not get this request; nil if there is none.
  ///
  /// A line break would begin another field, and a NUL would end the text. curl checks neither.
  var flaw: TransportError? {
    if url.text.hasByte(where: { $0 <= 0x20 || $0 == 0x7F }) {
      return TransportError(.badURL, url: url, problem: "the URL holds a space or a control character")
    }
    // curl would guess a scheme for a URL without one.
    if !url.text.begins(with: "http://"), !url.text.begins(with: "https://") {
      return TransportError(.badURL, url: url, problem: "this is no absolute http or https URL")
    }
    if !isToken(method) {
      return TransportError(.other, url: url, problem: "the method is no HTTP method")
    }
    for field in fields.all where !isToken(field.name) || field.value.text.hasByte(where: isControl) {
      let problem = "the header '\(field.name)' holds a character that a header can't hold"
      return TransportError(.other, url: url, problem: problem)
    }
    return nil
  }

  /// Prepares a handle for this request, which has no flaw.
  ///
  /// - Parameter other: request that the handle was prepared for before; nil for a new handle.
  func prepare(_ easy: OpaquePointer, usedFor other: Request?, for inflow: Inflow, trusting trust: CurlTrust) {
    if let other, differsOnlyInURL(from: other) {
      ccurl_easy_begin_again(easy, inflow.pointer)
      return ccurl_easy_set_url(easy, url.text)
    }
    ccurl_easy_begin(easy, inflow.pointer)
    ccurl_easy_set_url(easy, url.text)
    ccurl_easy_set_connect_limit(easy, Int(min(stallTimeout, Request.connectLimit).wholeMilliseconds))
    ccurl_easy_set_trust(easy, trust.file, trust.folder)
    if let files = ownTLSFiles { ccurl_easy_set_tls(easy, files.certificate, files.key, files.ca) }
    if refusesPrivatePeers {
      // The address is a terminated text.
      ccurl_easy_set_guard(easy) { address in address.map { isPrivateAddress(String(cString: $0)) } ?? false }
    }
    if refusesHTTP2 { ccurl_easy_refuse_http2(easy) }
    if watchesEnd { ccurl_easy_watch_end(easy) }
    if wantsFreshConnection || !mayBeRepeated { ccurl_easy_set_fresh(easy, !mayBeRepeated) }
    prepareMethodAndBody(easy)
    prepareFields(easy)
  }

  /// True if libcurl needs only a new URL.
  ///
  /// The pages of a stream share all other settings.
  func differsOnlyInURL(from other: Request) -> Bool {
    method == other.method && body == nil && other.body == nil && timeout == other.timeout && isFile == other.isFile
      && watchesEnd == other.watchesEnd
      && refusesHTTP2 == other.refusesHTTP2 && refusesPrivatePeers == other.refusesPrivatePeers
      && wantsFreshConnection == other.wantsFreshConnection
      && mayBeRepeated == other.mayBeRepeated && ownTLSFiles == other.ownTLSFiles && fields == other.fields
  }

  private func prepareMethodAndBody(_ easy: OpaquePointer) {
    if method == "HEAD" { return ccurl_easy_set_head(easy) }
    if let body {
      body.bytes.withUnsafeBytes { ccurl_easy_set_body(easy, $0.baseAddress, $0.count) }
    } else if ["POST", "PUT", "PATCH"].contains(method) {
      // Sends `Content-Length: 0`, as servers expect for these methods (RFC 9110 §8.6).
      ccurl_easy_set_body(easy, nil, 0)
    }
    if method != "GET" || body != nil { ccurl_easy_set_method(easy, method) }
  }

  /// The content coding in which the reply may come, which the request itself does not name; nil for none.
  package var acceptedCoding: String? {
    !isFile && fields["Accept-Encoding"] == nil && ccurl_can_inflate() ? "gzip" : nil
  }

  private func prepareFields(_ easy: OpaquePointer) {
    for field in fields.all {
      let value = field.value.text
      // curl leaves out a field if only blanks follow the colon.
      let isBlank = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      ccurl_easy_add_field(easy, isBlank ? "\(field.name);" : "\(field.name): \(value)")
    }
    if let coding = acceptedCoding { ccurl_easy_add_field(easy, "Accept-Encoding: \(coding)") }
    // Fields that curl would add: `*/*`, a form's type for a body, and a request to continue before a long body.
    for name in ["Accept", "Content-Type", "Expect"] where fields[name] == nil {
      ccurl_easy_add_field(easy, "\(name):")
    }
  }
}

extension String {
  /// Reports that the text begins with the prefix, without regard to case.
  fileprivate func begins(with start: String) -> Bool {
    utf8.starts(with: start.utf8, by: HTTPFields.isSameLetter)
  }
}

/// Reports that the text is a token (RFC 9110 §5.6.2).
private func isToken(_ text: String) -> Bool {
  !text.isEmpty
    && !text.hasByte { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"): false
      case UInt8(ascii: "0")...UInt8(ascii: "9"): false
      default: !"!#$%&'*+.^_`|~".utf8.contains(byte)
      }
    }
}

extension String {
  /// Looks at the bytes where they are: each index of a text costs more than a byte.
  fileprivate func hasByte(where isWanted: (UInt8) -> Bool) -> Bool {
    var text = self
    return text.withUTF8 { bytes in bytes.contains(where: isWanted) }
  }
}

/// Reports that a byte is a control character other than tab, which a value must not contain (RFC 9110 §5.5).
private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7f }
