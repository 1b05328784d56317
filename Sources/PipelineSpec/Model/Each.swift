package import Diagnostics
import JSONText
package import Primitives

/// `each`: input records made from the spec itself.
///
/// Several names make every combination, the last name fastest.
package struct Each: Hashable, Sendable {
  package struct Axis: Hashable, Sendable {
    package let name: String
    package let values: Values
    package let position: SourcePosition
    package init(name: String, values: Values, position: SourcePosition) {
      self.name = name
      self.values = values
      self.position = position
    }

    /// True if the values are windows of one thing; whole numbers without an end may name several things.
    package var hasWindows: Bool {
      guard case .span(let span) = values else { return false }
      if case .constant(let from, _) = span.from, from.kind == .number { return span.isWindow }
      return true
    }

    /// True if each value is a window: an object with the members of `Each.windowMembers`.
    package var isWindow: Bool { if case .span(let span) = values { span.isWindow } else { false } }

    /// The input record's member whose elements are the values, and which the made records lack.
    package var listName: String? {
      guard case .elements(let template) = values, let hole = template.onlyHole, hole.root == .input,
        hole.path.steps.count == 1
      else { return nil }
      return hole.path.steps[0].name
    }

    package var templates: [Template] {
      switch values {
      case .list(let values): values.flatMap(\.templates)
      case .elements(let template): [template]
      case .span(let span): span.templates
      }
    }
  }
  package enum Values: Hashable, Sendable {
    case list([TemplateValue])
    /// The elements of a list in the input record.
    case elements(Template)
    case span(Span)
  }

  /// A span of values, both ends inclusive.
  package struct Span: Hashable, Sendable {
    package let from: TemplateValue
    package let to: TemplateValue
    /// As written: `1d`, `15m`, or a whole number.
    package let step: Template?
    /// True if each value is the window from one step to the next.
    package let isWindow: Bool
    /// Spelling of dates and times; nil for the spelling of `from` and `to`.
    package let form: TimeForm?
    /// True if a window that has too many records is halved.
    package let splits: Bool

    package init(
      from: TemplateValue, to: TemplateValue, step: Template? = nil, isWindow: Bool = false, form: TimeForm? = nil,
      splits: Bool = false
    ) {
      (self.from, self.to, self.step) = (from, to, step)
      (self.isWindow, self.form, self.splits) = (isWindow, form, splits)
    }

    package var templates: [Template] { from.templates + to.templates + [step].compactMap { $0 } }
  }

  /// Members of a window: its first unit, its last one, and the first one after it.
  package static let windowMembers = (start: "start", end: "end", next: "next")

  package let axes: [Axis]
  /// The axis whose windows are halved where they have too many records, and the spelling of its times.
  package var split: (name: String, form: TimeForm?)? {
    for axis in axes {
      if case .span(let span) = axis.values, span.splits { return (axis.name, span.form) }
    }
    return nil
  }
  package init(axes: [Axis]) { self.axes = axes }
}
