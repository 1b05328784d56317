// Names that stand in a request for values that are not known yet, or must not be shown.

/// A name for a value, spelled so that no part of a request encodes it: `pagecatv4b4559z` stands for the variable `KEY`.
package enum StandIn: Hashable, Sendable {
  /// The value of an environment variable, or of a variable of the shell.
  case variable(String)
  /// The value of a template that reads an input record: `${input.id}`.
  case template(String)
  /// Value that is a whole URL.
  case url(String)

  private static let start = "pagecat"
  private static let scheme = "https://"

  /// The name that stands in the request.
  package var text: String {
    switch self {
    case .variable(let name): Self.start + "v" + Self.encoded(name)
    case .template(let spelling): Self.start + "t" + Self.encoded(spelling)
    case .url(let spelling): Self.scheme + Self.start + "u" + Self.encoded(spelling)
    }
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() + "z"
  }

  /// A part of a text.
  package enum Piece: Hashable, Sendable {
    case text(String)
    case standIn(StandIn)

    package var isVariable: Bool { if case .standIn(.variable) = self { true } else { false } }
  }

  /// Splits a text into plain texts and stand-ins.
  package static func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    var (plain, rest) = ("", text[...])
    while let found = rest.firstRange(of: start) {
      plain += rest[..<found.lowerBound]
      rest = rest[found.upperBound...]
      guard let (standIn, end) = read(rest) else {
        plain += start
        continue
      }
      rest = rest[end...]
      if case .url = standIn {
        plain.removeLast(plain.hasSuffix(scheme) ? scheme.count : 0)
        // Remove the `/` that a URL without a path gets.
        if rest.first == "/", rest.dropFirst().first.map({ $0 == "?" }) ?? true { rest.removeFirst() }
      }
      if !plain.isEmpty { pieces.append(.text(plain)) }
      pieces.append(.standIn(standIn))
      plain = ""
    }
    plain += rest
    return plain.isEmpty ? pieces : pieces + [.text(plain)]
  }

  /// Reads the rest of a stand-in, from the letter of its kind on.
  private static func read(_ text: Substring) -> (StandIn, end: String.Index)? {
    guard let kind = text.first, "vtu".contains(kind), let end = text.firstIndex(of: "z") else { return nil }
    let digits = Array(text[..<end].dropFirst().utf8)
    guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 0x80 }) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else { return nil }
      bytes.append(byte)
    }
    guard let name = String(validating: bytes, as: UTF8.self) else { return nil }
    let standIn: StandIn = kind == "v" ? .variable(name) : kind == "t" ? .template(name) : .url(name)
    return (standIn, text.index(after: end))
  }
}
