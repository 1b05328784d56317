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
