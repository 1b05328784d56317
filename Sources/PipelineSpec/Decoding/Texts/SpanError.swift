internal import Primitives

/// An error in the ends or the step of a span, as far as their units are known.
struct SpanError {
  let message: String
  let advice: String
  /// True if the step is wrong, rather than the ends.
  var isOfStep = true

  /// Nil if the units fit.
  init?(from: SpanDraft.Unit?, to: SpanDraft.Unit?, step: SpanDraft.Step?) {
    let units = Set([from, to].compactMap { $0 })
    if let from, let to, units.count > 1, units.contains(.integer) {
      self.init(
        "'from' is \(from.rawValue) and 'to' is \(to.rawValue)", "write two dates or times, or two whole numbers",
        isOfStep: false)
      return
    }
    // A date and a time make a span of dates.
    guard let unit = units.contains(.date) ? .date : units.first else { return nil }
    guard let step else {
      guard unit == .time else { return nil }
      self.init(
        "a span of times needs a 'step'", "add 'step: 1h'; units are s, m, h, d, w, mo and y", isOfStep: false)
      return
    }
    guard let stepUnit = step.unit else { return nil }
    switch (unit, CivilShift.Unit(rawValue: stepUnit)) {
    case (.date, .second), (.date, .minute), (.date, .hour):
      self.init("a step over dates is in days, weeks, months or years", "write '1d' or '1w', or times at both ends")
    case (.date, nil):
      self.init("a step over dates needs a unit", "write '\(step.template.spelling)d'")
    case (.time, nil):
      self.init("a step over times needs a unit", "write '\(step.template.spelling)d'")
    case (.integer, .some):
      self.init("a step over whole numbers has no unit", "write it as a number")
    default:
      return nil
    }
  }

  private init(_ message: String, _ advice: String, isOfStep: Bool = true) {
    (self.message, self.advice, self.isOfStep) = (message, advice, isOfStep)
  }
}
