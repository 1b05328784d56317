// The core schema (YAML 1.2 §10.3.2): the meaning of plain text.

import Diagnostics

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
