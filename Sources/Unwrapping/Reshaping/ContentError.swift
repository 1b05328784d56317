package import JSONText
import Primitives

/// Error in a page's content.
package enum ContentError: Error, Hashable, Sendable {
  case json(JSONError)
  /// `missingContentIdentifier`: the content path leads to nothing.
  ///
  /// It has the content path, the path of the missing step, and the names that are available there.
  case missing(content: JSONPath, at: JSONPath, available: [String], kind: JSONKind)
  /// `decodingError`: a record, counted from 1 in the page, does not fit `decode` or `model`.
  case record(Int, ModelError)
  /// Names are wanted, but the record is an element of an array at this path.
  ///
  /// `record` counts from 1 in the page.
  case nameless(record: Int, at: JSONPath)
  /// `invalidCSV`: the first line has none of the names that the first page's header has; both as JSON arrays.
  case otherHeader([UInt8], first: [UInt8])
  /// `invalidCSV`: only the first page should have a header, and this page has it, too.
  case repeatedHeader
  /// The names of columns are not at this path, for the given reason.
  case columns(JSONPath, String)
  /// The temporary file that holds the page failed, with its error.
  case spool(String)
}

/// Error of a record that `decode` or `model` rejects.
package struct ModelError: Error, Hashable {
  /// The member, like `address.city` or `tags[2]`; empty for the record itself.
  package let keyPath: String
  package let expected: String
  /// A kind and a short piece of text that is safe to print, or `nothing`.
  package let found: String
  /// True if the record does not fit `model`.
  package let isOfModel: Bool

  package init(keyPath: String, expected: String, found: String, isOfModel: Bool = false) {
    self.keyPath = keyPath
    self.expected = expected
    self.found = found
    self.isOfModel = isOfModel
  }
}

/// Text of the steps into a record, as in templates: `address.city`, `tags[2]`, `["odd name"]`.
enum KeyPathText {
  static func member(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy(\.isWord)
    return isPlain && !name.isEmpty ? name : "[\"\(name)\"]"
  }

  static func element(_ index: Int) -> String { "[\(index)]" }

  static func joined(_ steps: [String]) -> String {
    steps.reduce("") { path, step in path.isEmpty || step.hasPrefix("[") ? path + step : path + "." + step }
  }
}

// Quotes a value of a record in an error: its kind and a short piece of it, safe to print.

/// Returns the kind of the value and at most 60 bytes of its text, such as `string "blue"` or `null`.
func quotation(of text: [UInt8], _ value: Range<Int>) -> String {
  kindName(text[value.lowerBound]) + excerpt(of: text, value)
}

/// Returns at most 60 bytes of the range, safe to print.
func excerpt(of text: [UInt8], _ value: Range<Int>) -> String {
  let piece = String(decoding: text[value].prefix(64), as: UTF8.self)
  var shown = ""
  var isWhole = true
  var fitting = ""
  for scalar in piece.unicodeScalars {
    shown += scalar.isPrintable ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
    if shown.utf8.count <= 57 { fitting = shown }
    if shown.utf8.count > 60 {
      isWhole = false
      break
    }
  }
  return isWhole ? shown : fitting + "…"
}

private func kindName(_ first: UInt8) -> String {
  switch first {
  case JSONByte.quote: "string "
  case JSONByte.openObject: "object "
  case JSONByte.openArray: "array "
  case UInt8(ascii: "t"), UInt8(ascii: "f"): "boolean "
  case UInt8(ascii: "n"): ""
  default: "number "
  }
}

extension Unicode.Scalar {
  /// True unless the scalar is a control, or changes the direction or the lines of the text around it.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
    default: true
    }
  }
}
