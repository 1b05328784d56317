package import Diagnostics
import JSONText

/// `each`: input records made from the spec itself.
///
/// Several names make every combination, the last name fastest.
package struct Each: Hashable, Sendable {
  package struct Axis: Hashable, Sendable {
    package let name: String
    package let values: Values
    package let place: SourcePosition
    package init(name: String, values: Values, place: SourcePosition) {
      self.name = name
      self.values = values
      self.place = place
    }

    /// Members that the axis gives its records.
    package var names: [String] {
      if case .span(_, _, _, let end?) = values { [name, end] } else { [name] }
    }
  }
  package enum Values: Hashable, Sendable {
    case list([TemplateValue])
    /// A span of values, both ends inclusive.
    ///
    /// `step` is as written: `1d`, `15m`, or a whole number. With `end`, each value is a window, which ends with that
    /// member.
    case span(from: TemplateValue, to: TemplateValue, step: String?, end: String? = nil)
  }
  package let axes: [Axis]
  package init(axes: [Axis]) { self.axes = axes }
}
