// The lines of a response's head, read into fields (RFC 9112 §4, §5).

import Wire

extension ReplyHead {
  /// What a head says that can't be true; its sentence begins with who says it.
  struct Flaw: Error {
    let problem: String
  }

  /// - Parameter bytes: status line and field lines, with their ends; curl has made sure of their form.
  init(parsing bytes: [UInt8], url: Masked) throws(Flaw) {
    var lines = bytes.split(separator: UInt8(ascii: "\n")).map { line in
      line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
    guard let statusLine = lines.first, let status = ReplyHead.status(of: statusLine) else {
      throw Flaw(problem: "sent a status line that is not HTTP")
    }
    lines.removeFirst()
    let fields = HTTPFields(ReplyHead.unfolded(lines).compactMap(ReplyHead.field))
    try ReplyHead.checkLength(fields)
    self.init(status: status, fields: fields, url: url)
  }

  private static func status(of line: ArraySlice<UInt8>) -> Int? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2 else { return nil }
    return Int(String(decoding: words[1], as: UTF8.self))
  }

  /// A line that begins with white space goes on with the one before it (RFC 9112 §5.2).
  private static func unfolded(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
    lines.reduce(into: []) { whole, line in
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
    return .init(name: name, value: name.lowercased() == "set-cookie" ? .secret(text) : Masked(text))
  }

  /// Two lengths that differ: whoever believes one of them reads the wrong body (RFC 9112 §6.3). curl takes the last.
  private static func checkLength(_ fields: HTTPFields) throws(Flaw) {
    let values = fields.values(of: "Content-Length")
    guard values.count > 1 || values.first?.utf8.contains(UInt8(ascii: ",")) == true else { return }
    let lengths = Set(values.flatMap { $0.split(separator: ",").map(trimmed) })
    guard lengths.count > 1 else { return }
    let shown = lengths.sorted().map { "'\($0)'" }.joined(separator: " and ")
    throw Flaw(problem: "sent Content-Length \(shown), which can't both be right")
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return start.prefix { $0 != " " && $0 != "\t" }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
