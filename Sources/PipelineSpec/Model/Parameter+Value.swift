// `NAME=VALUE` on the command line is text, unless the parameter's default is a number or a boolean.

internal import Diagnostics
package import JSONText

extension Spec.Parameter {
  /// Returns the value of the texts from the command line: that of the last text, or for a list that of all.
  ///
  /// An empty text is no element, so that `ids=` empties a list. Otherwise an empty parameter is missing, whatever its
  /// default is.
  ///
  /// - Throws: `CommandLineParameterError` if the default is a number or a boolean and the text is not.
  package func value(of texts: [String]) throws(CommandLineParameterError) -> JSONValue {
    guard isList else { return try value(of: texts.last ?? "", like: standard?.kind) }
    let kind = standard?.elements.first { _ in true }?.kind
    var elements: [JSONValue] = []
    for text in texts where !text.isEmpty { elements.append(try value(of: text, like: kind)) }
    return JSONValue(elements: elements)
  }

  private func value(of text: String, like kind: JSONKind?) throws(CommandLineParameterError) -> JSONValue {
    switch kind {
    case _ where text.isEmpty:
      return JSONValue(text)
    case .number:
      guard let value = try? JSONValue(parsing: Array(text.utf8)), value.kind == .number, value.text == text else {
        throw CommandLineParameterError(
          message:
            "parameter '\(name)' takes a number, like its default\(isList ? "" : " \(spelling)"), not '\(text.printable)'"
        )
      }
      return value
    case .boolean:
      guard text == "true" || text == "false" else {
        throw CommandLineParameterError(
          message: "parameter '\(name)' takes true or false, like its default, not '\(text.printable)'")
      }
      return JSONValue(text == "true")
    default:
      return JSONValue(text)
    }
  }
}

/// Error of a parameter's value on the command line.
///
/// It has a message but no position, since the command line has none.
package struct CommandLineParameterError: Error, Hashable, Sendable {
  package let message: String
}
