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
