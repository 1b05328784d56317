// Starts of values and keys, and the keys of maps.

import Diagnostics

extension YAMLReader {
  /// Most characters of a key, except a key of a flow map (YAML 1.2 §7.4.2).
  static let keyLimit = 1_024

  /// Reads a plain or quoted scalar or a flow collection of a block; `position` is at its first byte.
  mutating func readLeaf(parentIndent: Int) throws(Diagnostic) -> Node {
    switch byte(position) {
    case .quote: return try readDoubleQuoted(parentIndent: parentIndent)
    case .apostrophe: return try readSingleQuoted(parentIndent: parentIndent)
    case .openBracket, .openBrace: return try readFlow(parentIndent: parentIndent)
    default:
      try checkPlainStart(inFlow: false)
      return try readPlain(parentIndent: parentIndent, inFlow: false)
    }
  }

  /// Returns the offset of the colon that makes the node a key of a block map, or nil.
  func keyColon(after leaf: Node) throws(Diagnostic) -> Int? {
    let colon = whiteEnd(from: leaf.range.upperBound)
    guard byte(colon) == .colon else { return nil }
    guard byte(colon + 1).isBlankOrEnd else { throw noSpaceAfterColon(at: colon) }
    return colon
  }

  /// Returns the node as a key.
  mutating func key(from leaf: Node, colon: Int?) throws(Diagnostic) -> NodeKey {
    switch leaf.content {
    case .list, .map:
      throw Diagnostic(
        "a key must be text, not a \(byte(leaf.range.lowerBound) == .openBrace ? "map" : "list")", at: leaf.range,
        advice: "put text that begins with '\(byte(leaf.range.lowerBound) == .openBrace ? "{" : "[")' in quotes")
    default: break
    }
    if bytes[leaf.range].contains(where: { $0 == .lineFeed || $0 == .carriageReturn }) {
      throw Diagnostic("a key must stand on one line", at: leaf.range)
    }
    if let colon, isLongKey(leaf.range.lowerBound..<colon) {
      throw Diagnostic("a key must not have more than 1,024 characters", at: leaf.range)
    }
    if !leaf.isQuoted { checkPlainKey(leaf) }
    return NodeKey(text: leaf.spelling, range: leaf.range)
  }

  private func isLongKey(_ range: Range<Int>) -> Bool {
    range.count > Self.keyLimit && text(range).unicodeScalars.count > Self.keyLimit
  }

  /// Checks a plain key, which is always text here.
  ///
  /// A key that YAML takes for another type is accepted only if each value has one spelling: `true`, `null`, `404`.
  private mutating func checkPlainKey(_ leaf: Node) {
    let text = leaf.spelling
    let advice = "put it in quotes: \(Self.quoted(text))"
    switch leaf.content {
    case .string where text == "<<":
      report("merge keys ('<<') are not supported", at: leaf.range, advice: "write the keys themselves")
    case .string where Self.hasOpenTemplate(text):
      report("a template with ': ' in it needs quotes", at: leaf.range)
    case .number(let number) where number != text || Int(text) == nil || text == "-0":
      report("this key is a number for YAML", at: leaf.range, advice: advice)
    case .boolean(let value) where text != String(value):
      report("this key is a boolean for YAML", at: leaf.range, advice: advice)
    case .null where text != "null":
      report("this key is null for YAML", at: leaf.range, advice: advice)
    default: break
    }
  }

  // MARK: - Indicators that can't begin plain text

  /// Throws if the bytes begin something that the subset leaves out, or that YAML reserves.
  func checkPlainStart(inFlow: Bool) throws(Diagnostic) {
    let first = byte(position)
    guard first.isIndicator, !beginsPlain(inFlow: inFlow) else { return }
    let word = position..<wordEnd(inFlow: inFlow)
    let advice =
      "if text is meant, put it in quotes: \(Self.quoted(text(position..<valueEnd(from: position, inFlow: inFlow))))"
    switch first {
    case UInt8(ascii: "*"):
      throw Diagnostic(
        "aliases (*name) are not supported", at: word,
        advice: word.count > 1 ? "write the value itself; \(advice)" : advice)
    case UInt8(ascii: "&"):
      throw Diagnostic(
        "anchors (&name) are not supported", at: word,
        advice: "write the value itself at each place that needs it; \(advice)")
    case UInt8(ascii: "!"): throw Diagnostic("tags (!name) are not supported", at: word, advice: advice)
    case .question:
      throw Diagnostic(
        "keys that begin with '? ' are not supported", at: position..<position + 1, advice: "write 'key: value'")
    case .colon:
      throw Diagnostic(
        "there is no key before the ':'", at: position..<position + 1, advice: "an empty key is written \"\"")
    case .hash: throw commentWithoutSpace(at: position)
    case .dash:
      throw Diagnostic("a '- ' list can't stand in '[ ]' or '{ }'", at: position..<position + 1, advice: advice)
    case UInt8(ascii: "|"), UInt8(ascii: ">"):
      throw Diagnostic("a '\(Character(Unicode.Scalar(first)))' block can't stand here", at: word, advice: advice)
    case .comma, .closeBracket, .closeBrace:
      throw Diagnostic("no value begins with '\(Character(Unicode.Scalar(first)))'", at: word, advice: advice)
    default:
      throw Diagnostic("plain text can't begin with '\(Character(Unicode.Scalar(first)))'", at: word, advice: advice)
    }
  }

  /// True if `-`, `?` or `:` begins text, since text follows (`ns-plain-first`).
  private func beginsPlain(inFlow: Bool) -> Bool {
    guard [.dash, .question, .colon].contains(byte(position)) else { return false }
    let next = byte(position + 1)
    return !next.isBlankOrEnd && !(inFlow && next.isFlowIndicator)
  }

  private func wordEnd(inFlow: Bool) -> Int {
    var end = position + 1
    while !byte(end).isBlankOrEnd, !(inFlow && byte(end).isFlowIndicator) { end += 1 }
    return end
  }

  /// Returns the end of the value that a person probably meant, for the advice to put the value in quotes.
  func valueEnd(from start: Int, inFlow: Bool) -> Int {
    var end = start + 1
    var isInTemplate = false
    while !byte(end).isBreakOrEnd {
      if byte(end) == .openBrace, byte(end - 1) == .dollar { isInTemplate = true }
      if inFlow, !isInTemplate, byte(end).isFlowIndicator || (byte(end) == .colon && endsKey(at: end, inFlow: true)) {
        break
      }
      if !isInTemplate, byte(end) == .hash, byte(end - 1).isWhite { break }
      if byte(end) == .closeBrace { isInTemplate = false }
      end += 1
    }
    while byte(end - 1).isWhite { end -= 1 }
    return end
  }

  // MARK: - Diagnostics

  func noColon(after leaf: Node) -> Diagnostic {
    let text = leaf.spelling
    if case .string = leaf.content, !leaf.isQuoted, let colon = text.firstIndex(of: ":") {
      let split = "\(text[..<colon]): \(text[text.index(after: colon)...])"
      return Diagnostic(
        "this stands in a map, and no key ends with ': '", at: leaf.range,
        advice: "put a space after the colon: \(shortened(split))")
    }
    return Diagnostic("this stands in a map, and no ': ' follows it", at: leaf.range, advice: "write 'key: value'")
  }

  func noSpaceAfterColon(at colon: Int) -> Diagnostic {
    Diagnostic("a space is missing after the colon", at: colon..<colon + 1)
  }

  /// Returns the diagnostic for `title: a: b`; `start` is the start of the text.
  func colonInText(at start: Int) -> Diagnostic {
    let end = valueEnd(from: start, inFlow: false)
    return Diagnostic(
      "': ' can't stand in plain text", at: start..<end,
      advice: "put the text in quotes, or begin a map on its own line: \(Self.quoted(text(start..<end)))")
  }

  func shortened(_ text: String) -> String {
    text.unicodeScalars.count > 60 ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(59))) + "…" : text
  }

  /// Returns the text in the quotes that need the least escaping.
  static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    if scalars.count > 60 { return "\"…\"" }
    if !scalars.contains(where: { $0 == "\"" || $0 == "\\" }) { return "\"\(text)\"" }
    return "'" + scalars.map { $0 == "'" ? "''" : String($0) }.joined() + "'"
  }

  /// Reports that a `${` has no `}` after it.
  static func hasOpenTemplate(_ text: String) -> Bool {
    var isOpen = false
    var last: UInt8 = 0
    for byte in text.utf8 {
      if byte == .openBrace, last == .dollar { isOpen = true }
      if byte == .closeBrace { isOpen = false }
      last = byte
    }
    return isOpen
  }
}

// The core schema (YAML 1.2 §10.3.2): the meaning of plain text.

extension YAMLReader {
  /// Returns the value of plain text of one line.
  func resolved(_ text: String, at range: Range<Int>) throws(Diagnostic) -> Node.Content {
    switch text {
    case "null", "Null", "NULL", "~": return .null
    case "true", "True", "TRUE": return .boolean(true)
    case "false", "False", "FALSE": return .boolean(false)
    default: break
    }
    let unsigned = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    if [".inf", ".Inf", ".INF"].contains(unsigned) || [".nan", ".NaN", ".NAN"].contains(text) {
      throw Diagnostic(
        "JSON has no '\(text)'", at: range, advice: "if text is meant, put it in quotes: \(Self.quoted(text))")
    }
    if let digits = prefixedDigits(text) {
      guard digits.count <= 1_000 else {
        throw Diagnostic("a number with too many digits", at: range, advice: "if text is meant, put it in quotes")
      }
      return .number(Decimal(digits, radix: text.hasPrefix("0x") ? 16 : 8).description)
    }
    return JSONSpelling(of: text).map { .number($0.text) } ?? .string(text)
  }

  /// Returns the digits of numbers such as `0x1F` and `0o17`.
  private func prefixedDigits(_ text: String) -> [UInt32]? {
    let base: UInt32
    if text.hasPrefix("0x") { base = 16 } else if text.hasPrefix("0o") { base = 8 } else { return nil }
    let digits = text.utf8.dropFirst(2).map { $0.hexValue ?? 16 }
    return digits.isEmpty || digits.contains { $0 >= base } ? nil : digits
  }
}

/// Whole number of any length that is to be written in decimal.
private struct Decimal: CustomStringConvertible {
  /// Limbs of nine digits each, the lowest first.
  private var limbs: [UInt64] = [0]

  init(_ digits: [UInt32], radix: UInt64) {
    for digit in digits {
      var carry = UInt64(digit)
      for index in limbs.indices {
        let value = limbs[index] * radix + carry
        limbs[index] = value % 1_000_000_000
        carry = value / 1_000_000_000
      }
      if carry > 0 { limbs.append(carry) }
    }
  }

  var description: String {
    limbs.dropLast().reversed().reduce(String(limbs[limbs.count - 1])) { text, limb in
      let digits = String(limb)
      return text + String(repeating: "0", count: 9 - digits.utf8.count) + digits
    }
  }
}

/// Decimal number of the core schema as JSON spells it: `+1` is `1`, `012` is `12`, `.5` is `0.5`, `1.` is `1.0`.
///
/// A number in JSON's spelling is kept byte for byte.
private struct JSONSpelling {
  let text: String

  /// Creates the JSON spelling, or returns nil for text that is no number.
  ///
  /// A number is `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`.
  init?(of plain: String) {
    var rest = plain.utf8[...]
    let sign = rest.first == .dash ? "-" : ""
    if let first = rest.first, first == .dash || first == UInt8(ascii: "+") { rest.removeFirst() }
    let whole = Self.digits(&rest)
    var fraction: String?
    if rest.first == .dot {
      rest.removeFirst()
      fraction = Self.digits(&rest)
      if whole.isEmpty, fraction == "" { return nil }
    }
    guard !whole.isEmpty || fraction != nil, let exponent = Self.exponent(&rest), rest.isEmpty else { return nil }
    let significant = whole.drop { $0 == "0" }
    let point = fraction.map { "." + ($0.isEmpty ? "0" : $0) } ?? ""
    text = sign + (significant.isEmpty ? "0" : String(significant)) + point + exponent
  }

  private static func digits(_ rest: inout Substring.UTF8View) -> String {
    let digits = rest.prefix(while: \.isDigit)
    rest = rest[digits.endIndex...]
    return String(Substring(digits))
  }

  /// Takes an exponent such as `e+10`, or nothing; nil if its digits are missing.
  private static func exponent(_ rest: inout Substring.UTF8View) -> String? {
    guard let letter = rest.first, letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") else { return "" }
    let start = rest
    rest.removeFirst()
    if let sign = rest.first, sign == .dash || sign == UInt8(ascii: "+") { rest.removeFirst() }
    guard !digits(&rest).isEmpty else { return nil }
    return String(Substring(start[..<rest.startIndex]))
  }
}
