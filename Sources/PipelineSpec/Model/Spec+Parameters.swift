// `NAME=VALUE` on the command line is text, unless the parameter's default is a number or a boolean.

package import JSONText

extension Spec {
  /// Returns the value of a declared parameter, and its text for templates; nil if the name is not declared.
  ///
  /// - Throws: `CommandLineParameterError` if the default is a number or a boolean and the text is none.
  package func parameterValue(
    name: String, text: String
  ) throws(CommandLineParameterError) -> (value: JSONValue, text: String)? {
    guard let parameter = parameters.first(where: { $0.name == name }) else { return nil }
    return (try parameter.value(of: text), text)
  }
}

extension Spec.Parameter {
  /// Returns the value of a text from the command line.
  ///
  /// - Throws: `CommandLineParameterError` if the default is a number or a boolean and the text is none.
  package func value(of text: String) throws(CommandLineParameterError) -> JSONValue {
    switch standard?.kind {
    case .number:
      guard let value = try? JSONValue(parsing: Array(text.utf8)), value.kind == .number, value.text == text else {
        throw CommandLineParameterError(message: "parameter '\(name)' takes a number, like its default \(spelling)")
      }
      return value
    case .boolean:
      guard text == "true" || text == "false" else {
        throw CommandLineParameterError(message: "parameter '\(name)' takes true or false, like its default")
      }
      return JSONValue(text == "true")
    default:
      return JSONValue(text)
    }
  }
}
