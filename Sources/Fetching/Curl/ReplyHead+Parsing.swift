// Parsing of a response's head into fields (RFC 9112 §4, §5).

import Wire

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
    guard code.count == 3, code.first != 48, code.allSatisfy({ (48...57).contains($0) }) else { return nil }
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
    guard Int(length) == nil || !length.utf8.allSatisfy({ (48...57).contains($0) }) else { return }
    throw SyntaxError(problem: "sent Content-Length '\(length.prefix(60))', which is no length")
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
