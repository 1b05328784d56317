// Describes a node in words and as JSON.

import YAMLText

internal import Diagnostics
internal import JSONText

extension Node {
  /// Description for the end of "expected …, found …".
  var description: String {
    switch content {
    case .null: "nothing"
    case .boolean, .number: String(spelling.prefix(40)).printable
    case .string(""): "an empty text"
    case .string(let text): "the text '\(String(text.prefix(40)).printable)'"
    case .list(let elements): elements.isEmpty ? "an empty list" : "a list"
    case .map(let entries): entries.isEmpty ? "an empty map" : "a map"
    }
  }

  /// Kind of the value, for one that may be a credential.
  var kindDescription: String {
    switch content {
    case .null, .list, .map: description
    case .boolean: "a boolean"
    case .number: "a number"
    case .string: "a text"
    }
  }

  /// True for a number or a boolean, which quotes would make text.
  var isPlainScalar: Bool {
    switch content {
    case .boolean, .number: true
    case .null, .string, .list, .map: false
    }
  }

  /// JSON of `null`, a boolean or a number; nil for the others.
  var constant: JSONValue? {
    let text: String
    switch content {
    case .null: text = "null"
    case .boolean(let value): text = value ? "true" : "false"
    case .number(let number): text = number
    case .string, .list, .map: return nil
    }
    return JSONValue(validated: Array(text.utf8)[...])
  }
}

/// Whole number and the letters after it: `30s` is 30 and `s`.
struct Quantity {
  let number: Int
  let unit: String

  /// Parses a quantity; nil if the text is not digits and then letters, or if the number does not fit.
  init?(_ text: String) {
    let digits = text.utf8.prefix { (48...57).contains($0) }
    let letters = text.utf8.dropFirst(digits.count)
    guard let number = Int(Substring(digits)), letters.allSatisfy({ ($0 | 0x20) >= 97 && ($0 | 0x20) <= 122 }) else {
      return nil
    }
    self.number = number
    self.unit = String(Substring(letters))
  }

  /// Returns the quantity that a text with a unit in words probably means: `30s` for `30 seconds`.
  ///
  /// - Parameter unit: what stands before the unit: `/` for `5/m`.
  static func likely(_ text: String, before unit: String = "", units: [String]) -> String? {
    let number = text.prefix { $0.isNumber || $0 == "." }
    let words = text.dropFirst(number.count).split { " /".contains($0) }.filter { $0 != "per" }
    guard !number.isEmpty, words.count <= 1 else { return nil }
    guard let word = words.first?.lowercased() else { return nil }
    let names = ["msec": "ms", "milliseconds": "ms", "min": "m", "mins": "m", "month": "mo", "months": "mo"]
    let short = names[word] ?? String(word.prefix(1))
    return units.contains(word) ? "\(number)\(unit)\(word)" : units.contains(short) ? "\(number)\(unit)\(short)" : nil
  }
}
