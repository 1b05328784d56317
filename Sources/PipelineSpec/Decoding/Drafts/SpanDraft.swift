internal import Diagnostics
internal import JSONText
internal import Primitives

/// Values of `{from, to, step}` while it is decoded.
struct SpanDraft {
  var from: Bound?
  var to: Bound?
  var step: Step?
  var end: String?
  var before: String?
  var form: TimeForm?

  /// Unit of a bound or a step, if it can be known before templates have values.
  enum Unit: String {
    case date = "a date"
    case time = "a time"
    case integer = "a whole number"

    /// Nil for a pattern: what reads it decides.
    init?(of form: TimeForm) {
      switch form {
      case .date: self = .date
      case .rfc3339: self = .time
      case .seconds, .milliseconds: self = .integer
      case .pattern: return nil
      }
    }

    /// Nil for other text.
    init?(dateOrTime text: String) {
      if CivilDate(text) != nil {
        self = .date
      } else if Timestamp(rfc3339: text) != nil {
        self = .time
      } else {
        return nil
      }
    }
  }

  struct Bound {
    let value: TemplateValue
    let unit: Unit?
    let range: Range<Int>
  }

  struct Step {
    let template: Template
    /// Unit as it is spelled, empty for a plain number; nil where a template decides.
    let unit: String?
    let range: Range<Int>

    init(_ template: Template, range: Range<Int> = 0..<0) {
      self.template = template
      self.range = range
      unit = template.literal.map { String($0.drop(while: \.isNumber)) }
    }
  }
}
