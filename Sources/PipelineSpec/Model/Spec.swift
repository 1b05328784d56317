// The contents of a spec file as values. Nothing here has been evaluated: no parameter, no environment, no clock.

package import Diagnostics
package import JSONText

/// Spec file: the parameters that the command line may set, and the jobs in order.
package struct Spec: Sendable {
  /// The file's name as on the command line; `<stdin>` for `-`.
  package let name: String
  package let source: SourceText
  package let parameters: [Parameter]
  /// At least one job, with the defaults of the file's top merged in.
  package var jobs: [Job]
  /// True if `retry` is beside `steps`.
  let sharesRetry: Bool
  /// Positions of the parameters' names.
  let parameterPlaces: [String: SourcePosition]

  init(
    name: String, source: SourceText, parameters: [Parameter], jobs: [Job], sharesRetry: Bool,
    parameterPlaces: [String: SourcePosition]
  ) {
    self.name = name
    self.source = source
    self.parameters = parameters
    self.jobs = jobs
    self.sharesRetry = sharesRetry
    self.parameterPlaces = parameterPlaces
  }

  /// An entry of `params`.
  package struct Parameter: Hashable, Sendable {
    package let name: String
    /// Default: a string, number or boolean, or a list of these; nil if the parameter is required (`null` in the spec).
    package let standard: JSONValue?
    /// Spelling of the default in the spec.
    package let spelling: String
    /// Default that reads the environment or the clock, in place of a constant.
    package let template: Template?

    /// True if the parameter may be given several times.
    package var isList: Bool { standard?.kind == .array }

    package init(name: String, standard: JSONValue?, spelling: String, template: Template? = nil) {
      self.template = template
      self.name = name
      self.standard = standard
      self.spelling = spelling
    }
  }
}
