// Times in values: read, shifted, and spelled in a form.

import JSONText
import PipelineSpec
import Primitives
import Wire

/// A point in time, and its spelling in a value.
struct SpelledTime {
  var time: Timestamp
  let form: TimeForm

  /// Reads a value of that form, a date, an RFC 3339 time, or a number of seconds; nil for others.
  init?(_ value: JSONValue, as known: TimeForm? = nil) {
    let text = Array((value.string ?? value.text).utf8)[...]
    guard value.kind == .string || value.kind == .number else { return nil }
    if let known, let time = known.timestamp(of: text) {
      (self.time, form) = (time, known)
    } else if let date = CivilDate(text) {
      (time, form) = (Timestamp(midnightOf: date), .date)
    } else if let time = Timestamp(rfc3339: text) {
      (self.time, form) = (time, .rfc3339)
    } else if let time = Timestamp(decimal: text, powerOfTen: 0) {
      (self.time, form) = (time, .seconds)
    } else {
      return nil
    }
  }
}

extension TimeForm {
  /// The time as a JSON value: a number of seconds or milliseconds, else text.
  func value(_ time: Timestamp) -> JSONValue {
    let text = written(time)
    return isNumber ? Int(text).map { JSONValue($0) } ?? JSONValue(text) : JSONValue(text)
  }
}

extension Template.Hole {
  /// The value as the hole's form spells it, and shifted if it is `since`.
  func spelled(_ found: ResolvedValue, in scope: TemplateScope) throws(ParameterError) -> ResolvedValue {
    // `now`, `today` and `epoch` are shifted when they are read.
    let shift = root == .since ? shift : .none
    guard form != nil || shift != .none else { return found }
    guard !(scope.isValidation && root == .record) else { return sample }
    guard var time = SpelledTime(found.value, as: root == .since ? scope.since?.form : nil) else {
      let shown = found.isSecret ? "***" : found.value.text
      let tooLarge = found.value.kind == .number ? " of the years 1 to 9999; for milliseconds, \(remedy)" : ""
      throw scope.fault(
        self, "\(shown) is no date (2024-01-31), time (2024-01-31T00:00:00Z) or number of seconds\(tooLarge)")
    }
    guard let shifted = time.time.shifted(by: shift) else { throw scope.fault(self, Self.outOfYears) }
    if shift != .none { time.time = shifted }
    // Without a zone, the API can only mean its own, which is that of its marks.
    if root == .since, form?.lacksZone == true, let offset = found.value.string.flatMap(Timestamp.offset(ofRFC3339:)),
      let local = Timestamp(seconds: time.time.seconds + offset, fraction: time.time.fraction)
    {
      time.time = local
    }
    return ResolvedValue((form ?? time.form).value(time.time), isSecret: found.isSecret)
  }

  static let outOfYears = "that is not in the years 1 to 9999"

  private var remedy: String {
    root == .since ? "write 'as: milliseconds' in 'incremental'" : "write 'dates' in 'decode' where they are fetched"
  }

  /// A possible time, to check the template before there is a record.
  private var sample: ResolvedValue {
    let time = Timestamp(rfc3339: "2024-01-31T00:00:00Z")
    return ResolvedValue(form.flatMap { form in time.map { form.value($0) } } ?? JSONValue("x"))
  }
}
