// Translation of a request into libcurl's options.

import CCurl
import Primitives
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
      return TransportError(.badURL, url: url, problem: "this is not an absolute http or https URL")
    }
    if let socketProblem { return TransportError(.badURL, url: url, problem: socketProblem) }
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
    if let ownSocket { ccurl_easy_set_socket(easy, ownSocket) }
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
      && mayBeRepeated == other.mayBeRepeated && ownTLSFiles == other.ownTLSFiles && ownSocket == other.ownSocket
      && fields == other.fields
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

  /// The content codings in which the reply may come, which the request itself does not name; nil for none.
  package var acceptedCoding: String? {
    guard !isFile, fields["Accept-Encoding"] == nil, ccurl_can_inflate() else { return nil }
    // The order of what they cost to decode; servers choose by their own.
    return (ccurl_can_decode(ccurl_zstd) ? "zstd, " : "") + (ccurl_can_decode(ccurl_brotli) ? "br, " : "") + "gzip"
  }

  private func prepareFields(_ easy: OpaquePointer) {
    for field in fields.all {
      let value = field.value.text
      // curl leaves out a field if only blanks follow the colon.
      let isBlank = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      ccurl_easy_add_field(easy, isBlank ? "\(field.name);" : "\(field.name): \(value)")
    }
    // The name of the socket is none of the server's, which may check it.
    if ownSocket != nil { ccurl_easy_add_field(easy, "Host: localhost") }
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

// MARK: Parsing of a response's head into fields (RFC 9112 §4, §5)

extension ReplyHead {
  /// An error in a head; the problem continues a sentence that begins with the server's name.
  struct SyntaxError: Error {
    let problem: String
  }

  /// Parses the head of a response.
  ///
  /// - Parameter bytes: status line and field lines, with line ends; curl has checked their form.
  init(parsing bytes: [UInt8], url: Redactable) throws(SyntaxError) {
    var (bytes, lines) = (bytes, ReplyHead.lines(of: bytes))
    guard let statusLine = lines.first, let status = ReplyHead.status(of: bytes[statusLine]) else {
      // New versions of libcurl refuse it themselves.
      throw SyntaxError(problem: "answered, but does not speak HTTP")
    }
    if lines.contains(where: { FieldBlock.isBlank(bytes[$0.lowerBound]) }) {
      bytes = ReplyHead.unfolded(lines.map { bytes[$0] })
      lines = ReplyHead.lines(of: bytes)
    }
    let fields = HTTPFields(FieldBlock(bytes, lines: lines.dropFirst()))
    try ReplyHead.checkLength(fields)
    self.init(status: status, fields: fields, url: url)
  }

  /// True if the last transfer coding is chunks, which have an end of their own.
  var isChunked: Bool {
    fields["Transfer-Encoding"]?.lowercased().split(separator: ",").last.map(Self.trimmed) == "chunked"
  }

  /// Returns the ranges of the lines, without line ends and without empty lines.
  fileprivate static func lines(of bytes: [UInt8]) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    lines.reserveCapacity(24)
    var start = 0
    while start < bytes.count {
      let feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let end = feed > start && feed < bytes.count && bytes[feed - 1] == UInt8(ascii: "\r") ? feed - 1 : feed
      if end > start { lines.append(start..<end) }
      start = feed + 1
    }
    return lines
  }

  /// Returns the status code of a line, which has three digits, of a version that there is (RFC 9112 §4).
  private static func status(of line: ArraySlice<UInt8>) -> Int? {
    guard ["HTTP/1.", "HTTP/2", "HTTP/3"].contains(where: { line.starts(with: $0.utf8) }) else { return nil }
    let code = line.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }
      .prefix { $0 != UInt8(ascii: " ") }
    guard code.count == 3, code.first != 48, code.allSatisfy(\.isDigit) else { return nil }
    return code.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  /// Joins a line that begins with white space to the line before it (RFC 9112 §5.2).
  private static func unfolded(_ lines: [ArraySlice<UInt8>]) -> [UInt8] {
    lines.reduce(into: []) { whole, line in
      let goesOn = line.first.map(FieldBlock.isBlank) ?? false
      if !whole.isEmpty { whole.append(UInt8(ascii: goesOn ? " " : "\n")) }
      whole += goesOn ? line.drop(while: FieldBlock.isBlank) : line
    }
  }

  /// Throws if two lengths differ: a reader of either could read the wrong body (RFC 9112 §6.3).
  ///
  /// curl takes the last length.
  private static func checkLength(_ fields: HTTPFields) throws(SyntaxError) {
    let values = fields.values(of: "Content-Length")
    if values.count == 1, fields["Transfer-Encoding"] == nil { try checkNumber(values[0]) }
    guard values.count > 1 || values.first?.utf8.contains(UInt8(ascii: ",")) == true else { return }
    let lengths = Set(values.flatMap { $0.split(separator: ",").map(trimmed) })
    guard lengths.count > 1 else { return }
    let shown = lengths.sorted().map { "'\($0)'" }.joined(separator: " and ")
    throw SyntaxError(
      problem: "sent Content-Length \(shown), which can't both be right: it is broken, or a proxy before it")
  }

  /// Throws if a length is not a number or too large, so that it can't say where the body ends.
  ///
  /// curl would ignore the field.
  private static func checkNumber(_ length: String) throws(SyntaxError) {
    guard !length.utf8.contains(UInt8(ascii: ",")) else { return }
    guard Int(length) == nil || !length.utf8.allSatisfy(\.isDigit) else { return }
    throw SyntaxError(problem: "sent Content-Length '\(length.prefix(60))', which is not a length")
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return start.prefix { $0 != " " && $0 != "\t" }
  }
}

extension HTTPFields {
  /// Fields that no trailer may have: those of framing and coding, and cookies (RFC 9110 §6.5.1).
  private static let barred: Set = [
    "transfer-encoding", "content-length", "content-encoding", "content-type", "set-cookie", "set-cookie2",
  ]

  /// Parses the lines of trailers.
  init(trailers bytes: [UInt8]) {
    let all = bytes.isEmpty ? [] : HTTPFields(FieldBlock(bytes, lines: ReplyHead.lines(of: bytes)[...])).all
    self.init(all.filter { !Self.barred.contains($0.name.lowercased()) })
  }
}
