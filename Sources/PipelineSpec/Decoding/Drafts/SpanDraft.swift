internal import Diagnostics
internal import JSONText
internal import Primitives

/// Values of `{from, to, step}` while it is decoded.
struct SpanDraft {
  var from: Bound?
  var to: Bound?
  var step: Step?
  var end: String?

  /// Unit of a bound or a step, if it can be known before templates have values.
  enum Unit: String {
    case date = "a date"
    case time = "a time"
    case integer = "a whole number"

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
    let text: String
    /// Nil for a plain number.
    let unit: TimeUnit?
    let range: Range<Int>
  }
}
