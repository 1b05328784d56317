// Time windows with inclusive ends in whole seconds, minutes or hours: an event in the last one may be in no window.

package import Primitives

internal import Diagnostics
internal import JSONText

extension Job {
  /// A warning for each span of `each` that is certain to have such windows.
  package var lossyWindows: [String] {
    (each?.axes ?? []).compactMap { axis in
      guard case .span(let span) = axis.values, let end = span.end, span.before == nil, isLossy(span) else {
        return nil
      }
      return Self.warning(ofLossyWindows: end, span.form)
    }
  }

  /// - Parameters:
  ///   - end: the member with the end of each window.
  ///   - form: spelling of the windows; nil for the spelling of `from` and `to`.
  package static func warning(ofLossyWindows end: String, _ form: TimeForm?) -> String {
    let unit =
      switch form?.smallestUnit {
      case .minute: "minute"
      case .hour: "hour"
      default: "second"
      }
    let lost = unit == "second" ? "in the fractions of that second" : "within that \(unit)"
    // A form has its own number of digits, whatever `from` has.
    let remedy = form == nil ? ", else give 'from' a fraction, such as 2024-01-01T00:00:00.000Z" : ""
    return "windows with 'end: \(end.printable)' end one \(unit) before the next one starts, so that records \(lost) "
      + "may be missing: write 'before: \(end.printable)' if the API's upper end is exclusive" + remedy
  }

  private func isLossy(_ span: Each.Span) -> Bool {
    if let form = span.form { return !form.isOfDays && form.fractionDigits == 0 }
    return [span.from, span.to].allSatisfy { bound in
      guard case .string(let template) = bound else { return false }
      if let text = template.literal { return template.spanUnit == .time && !text.contains(".") }
      guard template.onlyHole?.root == .since, template.onlyHole?.form == nil else { return template.spanUnit == .time }
      let samples = since.map { SinceSample.all(of: $0, incremental == nil ? nil : self) } ?? []
      return !samples.isEmpty
        && samples.allSatisfy { SpanDraft.Unit(dateOrTime: $0.text) == .time && !$0.text.contains(".") }
    }
  }
}
