package import Engine
import Primitives
import Diagnostics
import JSONText
import PipelineSpec
import Wire

/// A Singer config: an object whose members are parameters of the specs, or variables.
///
/// So secrets stand in a file, and never on a command line.
package struct SingerConfig: Sendable {
  private var texts: [(name: String, value: String)] = []

  package init() {}

  /// Reads a config.
  ///
  /// - Throws: `SpecError` if the text is no object.
  package init(_ bytes: [UInt8], name: String) throws(SpecError) {
    guard let json = try? JSONValue(parsing: bytes), json.kind == .object else {
      throw SpecError(messages: ["'\(name.printable)' is no config: it must be a JSON object"])
    }
    for member in json.members where !member.value.isNull {
      let values = member.value.kind == .array ? Array(member.value.elements) : [member.value]
      for value in values { texts.append((member.name, value.string ?? value.text)) }
    }
  }

  /// Adds the members that the specs declare as parameters, and all members as variables.
  func add(to options: inout RunOptions, for spec: Spec) {
    // Values from the command line take precedence.
    let wanted = Set(spec.parameters.map(\.name)).subtracting(options.parameters.map(\.name))
    options.parameters += texts.filter { wanted.contains($0.name) }
    for (name, value) in texts { options.environment[name] = value }
  }
}
