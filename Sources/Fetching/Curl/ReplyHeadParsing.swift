// The lines of a response's head, read into fields (RFC 9112 §4, §5).

import Wire

extension ReplyHead {
  /// What a head says that can't be true; its sentence begins with who says it.
  struct Flaw: Error {
    let problem: String
  }

  /// - Parameter bytes: status line and field lines, with their ends; curl has made sure of their form.
  init(parsing bytes: [UInt8], url: Masked) throws(Flaw) {
    var lines = ReplyHead.lines(of: bytes)
    guard let statusLine = lines.first, let status = ReplyHead.status(of: statusLine) else {
      throw Flaw(problem: "sent a status line that is not HTTP")
    }
    lines.removeFirst()
    let fields = HTTPFields(ReplyHead.unfolded(lines).compactMap(ReplyHead.field))
    try ReplyHead.checkLength(fields)
    self.init(status: status, fields: fields, url: url)
  }

  /// Without their ends, and without empty ones.
  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    lines.reserveCapacity(24)
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      let end = index > start && bytes[index - 1] == UInt8(ascii: "\r") ? index - 1 : index
      if end > start { lines.append(bytes[start..<end]) }
      start = index + 1
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }

  private static func status(of line: ArraySlice<UInt8>) -> Int? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2 else { return nil }
    return Int(String(decoding: words[1], as: UTF8.self))
  }

  /// A line that begins with white space goes on with the one before it (RFC 9112 §5.2).
  private static func unfolded(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
    guard lines.contains(where: { $0.first.map(isBlank) ?? false }) else { return lines }
    return lines.reduce(into: []) { whole, line in
      guard let first = line.first, isBlank(first), let last = whole.popLast() else { return whole.append(line) }
      whole.append(last + [UInt8(ascii: " ")] + line.drop(while: isBlank))
    }
  }

  private static func field(_ line: ArraySlice<UInt8>) -> HTTPFields.Field? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    var value = line[line.index(after: colon)...].drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    let text = String(decoding: value, as: UTF8.self)
    let isCookie = name.utf8.count == "set-cookie".utf8.count && name.lowercased() == "set-cookie"
    return .init(name: name, value: isCookie ? .secret(text) : Masked(text))
  }

  /// Two lengths that differ: whoever believes one of them reads the wrong body (RFC 9112 §6.3). curl takes the last.
  private static func checkLength(_ fields: HTTPFields) throws(Flaw) {
    let values = fields.values(of: "Content-Length")
    if values.count == 1, fields["Transfer-Encoding"] == nil { try checkNumber(values[0]) }
    guard values.count > 1 || values.first?.utf8.contains(UInt8(ascii: ",")) == true else { return }
    let lengths = Set(values.flatMap { $0.split(separator: ",").map(trimmed) })
    guard lengths.count > 1 else { return }
    let shown = lengths.sorted().map { "'\($0)'" }.joined(separator: " and ")
    throw Flaw(problem: "sent Content-Length \(shown), which can't both be right")
  }

  /// A length that is none, or too long to be one, says nothing of where the body ends. curl would leave it out of account.
  private static func checkNumber(_ length: String) throws(Flaw) {
    guard !length.contains(","), !length.utf8.allSatisfy({ (48...57).contains($0) }) || Int(length) == nil else {
      return
    }
    throw Flaw(problem: "sent Content-Length '\(length.prefix(60))', which is no length")
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return start.prefix { $0 != " " && $0 != "\t" }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
