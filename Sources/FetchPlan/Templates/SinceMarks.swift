// The marks of a job: one, or one for each of its input records.

package import JSONText
import PipelineSpec
package import Primitives
import Wire

/// The marks that a job remembers, and the value of `${since}` for its input records.
struct SinceMarks: Sendable {
  /// Paths of the values of an input record that have a mark; none for one mark of the job.
  private let by: [JSONPath]
  /// Mark of the job, else `start`.
  let common: SinceValue?
  private let byID: [ExactText: JSONValue]
  private let form: TimeForm?
  private let position: String

  /// - Parameter job: the job that reads `${since}`.
  init?(of job: Job, in scope: TemplateScope) throws(ParameterError) {
    guard let since = job.since else { return nil }
    let (mark, incremental) = (scope.run.marks[since.job], since.incremental)
    (by, form) = (incremental.by, incremental.form)
    position = "\(scope.specName):\(job.position)"
    guard mark == nil || (mark?.kind == .object) == !by.isEmpty else {
      let (kept, wanted) =
        by.isEmpty ? ("a mark for each input record", "one mark") : ("one mark", "one for each ('by')")
      throw ParameterError(
        template: "incremental", position: position,
        problem: "the state has \(kept) of '\(since.job)', and the spec wants \(wanted): give another --state FILE, or "
          + "take it out of this one", isConfiguration: true)
    }
    let start = try SinceValue(startOf: incremental, in: scope)
    common = by.isEmpty ? mark.map { SinceValue(mark: $0, form: incremental.form) } ?? start : start
    let members = by.isEmpty ? [] : Array((mark ?? .null).members)
    byID = Dictionary(members.map { (ExactText($0.name), $0.value) }) { $1 }
  }

  /// The job's value of `${since}`, or one for each mark of its input records.
  var all: [SinceValue] {
    [common].compactMap { $0 } + byID.sorted { $0.key < $1.key }.map { SinceValue(mark: $0.value, form: form) }
  }

  /// Returns the value for an input record; `start` for a new record.
  func value(for record: JSONValue?) -> SinceValue? {
    guard !by.isEmpty, let record, let id = try? id(of: record), let mark = byID[id] else { return common }
    return SinceValue(mark: mark, form: form)
  }

  /// Returns the id under which a record's mark is kept; nil if the job has one mark.
  ///
  /// - Throws: `ParameterError` if the record lacks a value of the id.
  func id(of record: JSONValue?) throws(ParameterError) -> ExactText? {
    var values: [JSONValue] = []
    for path in by {
      let value = record?[path] ?? .null
      guard value.kind == .number || value.kind == .string && value.string != nil else {
        throw ParameterError(
          template: "by", position: position,
          problem: "the input record has no text or number at '\(path)'")
      }
      values.append(value)
    }
    // Several values make a JSON array, so that no two lists of values have the same id.
    let text = values.count > 1 ? JSONValue(elements: values).text : values.first.map { $0.string ?? $0.text }
    return text.map { ExactText($0) }
  }
}

// The value of `${since}`: the saved mark, otherwise `start`.

/// The value of `${since}` in a run, or for an input record.
package struct SinceValue: Sendable {
  package let value: JSONValue
  /// Spelling of marks (`as`).
  package let form: TimeForm?
  /// True if the value is `start`, since no mark is saved.
  package var isStart = false
  /// True if `start` reads the environment.
  var isSecret = false

  init(mark: JSONValue, form: TimeForm?) {
    (value, self.form) = (mark, form)
  }

  /// Creates the value of `start`, spelled like a mark.
  ///
  /// - Returns: nil if there is no `start`.
  init?(startOf incremental: Incremental, in scope: TemplateScope) throws(ParameterError) {
    guard let start = incremental.start, let found = try start.json(in: scope), !found.value.isNull else { return nil }
    (form, isStart, isSecret) = (incremental.form, true, found.isSecret)
    guard let form, let time = SpelledTime(found.value, as: form) else {
      value = found.value
      return
    }
    value = form.value(time.time)
  }
}

// Times in values: read, shifted, and spelled in a form.

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
  /// The value after the hole's shift, as its form spells it.
  func formatted(_ found: ResolvedValue, in scope: TemplateScope) throws(ParameterError) -> ResolvedValue {
    // `now`, `today` and `epoch` are shifted when they are read.
    let shift = root == .now || root == .today || root == .epoch ? .none : shift
    let isOfTime = form != nil || isAge || shift != .none
    guard isOfTime || increment != 0 else { return found }
    guard !(scope.isValidation && root == .input) else { return sample }
    // The default takes the place of an empty text.
    if fallback != nil, found.text?.isEmpty == true { return found }
    let found = try incremented(found, in: scope)
    guard isOfTime else { return found }
    guard var time = SpelledTime(found.value, as: root == .since ? scope.since?.form : nil) else {
      let shown = found.isSecret ? "***" : found.value.text
      let tooLarge = found.value.kind == .number ? " of the years 1 to 9999; for milliseconds, \(remedy)" : ""
      throw scope.fault(
        self, "\(shown) is not a date (2024-01-31), time (2024-01-31T00:00:00Z) or number of seconds\(tooLarge)")
    }
    guard let shifted = time.time.shifted(by: shift) else { throw scope.fault(self, Self.outOfYears) }
    if shift != .none { time.time = shifted }
    // Without its fraction a time is earlier, so that a search that reaches so far back leaves nothing out.
    if isAge { return ResolvedValue(JSONValue(scope.run.start - time.time.seconds), isSecret: found.isSecret) }
    // Without a zone, the API can only mean its own, which is that of its marks.
    if root == .since, form?.hasNoZone == true, let offset = found.value.string.flatMap(Timestamp.offset(ofRFC3339:)),
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

  /// The value plus the hole's whole number, exact for numbers of any size; a text of digits stays a text.
  private func incremented(_ found: ResolvedValue, in scope: TemplateScope) throws(ParameterError) -> ResolvedValue {
    guard increment != 0 else { return found }
    guard let sum = found.value.adding(increment) else {
      let shown = found.isSecret ? "***" : String(found.value.text.prefix(80))
      let step = increment < 0 ? "\(increment)" : "+\(increment)"
      let owner = root == .input ? "the input record" : root == .record ? "the fetched record" : nil
      let named = path.steps.isEmpty ? nil : owner.map { "'\(path)' of \($0) is \(shown)," }
      let subject = named ?? "\(shown) is"
      throw scope.fault(
        self, "\(subject) not a whole number, to which '\(step)' can be added\(advice(on: found.value, adding: step))")
    }
    return ResolvedValue(sum, isSecret: found.isSecret)
  }

  /// Advice about a value to which a whole number can't be added.
  private func advice(on value: JSONValue, adding step: String) -> String {
    guard let text = value.string else { return "" }
    let bytes = Array(text.utf8)
    if bytes.isEmpty { return "; for an empty text, give a default with ':-'" }
    if CivilDate(bytes[...]) != nil || Timestamp(rfc3339: bytes[...]) != nil {
      return "; a shift of a time has a unit: '\(step)d'"
    }
    let blanks = Set(" \t\r\n".utf8)
    if (try? JSONValue(parsing: bytes))?.isWholeNumber == true, !bytes.contains(where: blanks.contains) {
      let remedy = root == .input ? "; 'types' in 'decode' of the step before makes a number of it" : ""
      return "; in a text, it is spelled by digits alone\(remedy)"
    }
    let digits = bytes.filter { !blanks.contains($0) && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
    guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return "" }
    return "; in a text, it is spelled as JSON spells numbers: without blanks, a '+' or zeros in front"
  }

  /// A possible time, to check the template before there is a record.
  private var sample: ResolvedValue {
    if isAge || increment != 0 { return ResolvedValue(JSONValue(1)) }
    let time = Timestamp(rfc3339: "2024-01-31T00:00:00Z")
    return ResolvedValue(form.flatMap { form in time.map { form.value($0) } } ?? JSONValue("x"))
  }
}

extension JSONValue {
  /// Most digits of a whole number that is spelled with an exponent.
  private static let mostZeros = 1_000

  /// Returns the sum with a whole number of at most 18 digits, without rounding; nil if this value is not a whole number.
  ///
  /// A text is one if it has the spelling that JSON gives whole numbers.
  fileprivate func adding(_ number: Int) -> JSONValue? {
    let own = string.map { Array($0.utf8) } ?? Array(bytes)
    let digits = own.drop { $0 == UInt8(ascii: "-") }
    let isPlain =
      own.count - digits.count <= 1 && !digits.isEmpty && digits.allSatisfy(\.isDigit)
      && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
    var whole: (isNegative: Bool, digits: [UInt8]) = (own.count > digits.count, Array(digits))
    if !isPlain {
      guard kind == .number, isWholeNumber else { return nil }
      let decimal = Decimal(bytes)
      guard let zeros = decimal.exponent.small, zeros <= Self.mostZeros else { return nil }
      whole = (decimal.isNegative, decimal.digits + Array(repeating: UInt8(ascii: "0"), count: max(zeros, 0)))
      if whole.digits.isEmpty { whole.digits = [UInt8(ascii: "0")] }
    }
    let text = (whole.isNegative ? "-" : "") + String(decoding: whole.digits, as: UTF8.self)
    let (small, overflow) = (Int(text) ?? .max).addingReportingOverflow(number)
    guard Int(text) == nil || overflow else { return like(String(small)) }
    // The number is larger than the one to add, so its sign stays.
    var carry = whole.isNegative ? -number : number
    for index in whole.digits.indices.reversed() {
      let sum = Int(whole.digits[index] - 48) + carry
      let (quotient, remainder) = sum.divided(flooringBy: 10)
      (whole.digits[index], carry) = (UInt8(48 + remainder), quotient)
    }
    let sum = (carry > 0 ? String(carry) : "") + String(decoding: whole.digits, as: UTF8.self)
    return like((whole.isNegative ? "-" : "") + sum.drop { $0 == "0" })
  }

  /// A value of this one's type.
  private func like(_ text: String) -> JSONValue {
    kind == .string ? JSONValue(text) : JSONValue(validated: Array(text.utf8)[...])
  }
}
