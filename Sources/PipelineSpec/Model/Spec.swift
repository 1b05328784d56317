// What a spec file says, as values. Nothing here has been evaluated: no parameter, no environment, no clock.

package import Diagnostics
package import JSONText

/// A spec file: what the command line may set, and the jobs in order.
package struct Spec: Sendable {
  /// As the file was named on the command line; `<stdin>` for `-`.
  package let name: String
  package let source: SourceText
  package let parameters: [Parameter]
  /// At least one. Defaults of the file's top are already in them.
  package var jobs: [Job]

  package init(name: String, source: SourceText, parameters: [Parameter], jobs: [Job]) {
    self.name = name
    self.source = source
    self.parameters = parameters
    self.jobs = jobs
  }

  /// An entry of `params`.
  package struct Parameter: Hashable, Sendable {
    package let name: String
    /// Nil when it is required (`null` in the spec). A string, number or boolean.
    package let standard: JSONValue?
    /// As the standard value is spelled in the spec.
    package let spelling: String

    package init(name: String, standard: JSONValue?, spelling: String) {
      self.name = name
      self.standard = standard
      self.spelling = spelling
    }
  }
}
