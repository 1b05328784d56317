internal import Diagnostics
internal import JSONText
internal import Primitives

/// A value that `${since}` has in some run: `start`, or a mark such as the job remembers.
struct SinceSample {
  let text: String
  /// Start of a message about a run with this sample.
  let introduction: String
  /// True if a run will have a value of this kind.
  ///
  /// Otherwise marks may as well be dates as times.
  let isCertain: Bool

  private init(start: String, spelled spelling: String) {
    text = start
    introduction = "with 'start: \(spelling.printable)'"
    isCertain = true
  }

  private init(mark: String, isCertain: Bool) {
    text = mark
    introduction = "with a mark such as \(mark)"
    self.isCertain = isCertain
  }

  /// Kind of the job's marks, as far as `model` or `decode` says so.
  private enum MarkKind { case number, time, dateOrTime, form(TimeForm) }

  /// Returns a sample for each kind of value that `${since}` may have.
  ///
  /// If neither `model` nor `decode` gives the kind of marks, they have the kind of `start`. If `start` is a date,
  /// marks may also be times.
  ///
  /// - Parameter owner: the job that has `incremental`, whose `model` and `decode` may give the kind of its marks.
  static func all(of since: Since, _ owner: Job?) -> [SinceSample] {
    let incremental = since.incremental
    let start = incremental.start?.sample
    var samples = start.map { [SinceSample(start: $0.text, spelled: $0.spelling)] } ?? []
    var kind = incremental.form.map { .form($0) } ?? owner.flatMap { markKind(of: $0, incremental) }
    if kind == nil, start.flatMap({ CivilDate($0.text) }) != nil { kind = .dateOrTime }
    switch kind {
    case .number?: samples.append(SinceSample(mark: "1", isCertain: true))
    case .time?: samples.append(SinceSample(mark: time, isCertain: true))
    case .dateOrTime?: samples += [date, time].map { SinceSample(mark: $0, isCertain: false) }
    case .form(let form)?:
      samples += Timestamp(rfc3339: time).map { [SinceSample(mark: form.written($0), isCertain: true)] } ?? []
    case nil: break
    }
    return samples
  }

  fileprivate static let date = "2024-01-31"
  fileprivate static let time = "2024-01-31T00:00:00Z"

  /// Returns the kind of a job's marks; nil if the spec does not give it.
  ///
  /// `decode` comes before `model`, since the mark is read from the record as the server sent it.
  private static func markKind(of job: Job, _ incremental: Incremental) -> MarkKind? {
    switch incremental.mark {
    case .input(let template): kind(of: template, in: job)
    case .run(let template):
      switch template.spanUnit {
      case .date?: .form(.date)
      case .time?: .time
      case .integer?: .number
      case nil: nil
      }
    case .answer: nil
    case .member(let path): kind(of: path, in: job)
    }
  }

  /// Returns the kind of a template whose value is a member that the job's own span makes; nil for other templates.
  private static func kind(of template: Template, in job: Job) -> MarkKind? {
    guard let path = template.onlyHole?.path, let name = path.steps.first?.name else { return nil }
    for axis in job.each?.axes ?? [] where axis.name == name && path.steps.count == (axis.isWindow ? 2 : 1) {
      guard case .span(let span) = axis.values else { return nil }
      if let form = span.form { return .form(form) }
      let units = [span.from, span.to].compactMap { $0.sample.map { SpanDraft.Unit(dateOrTime: $0.text) } }
      if units.contains(.date) { return .form(.date) }
      if units.contains(.time) { return .time }
      return units.isEmpty ? nil : .number
    }
    return nil
  }

  private static func kind(of path: JSONPath, in job: Job) -> MarkKind? {
    guard job.decode.keys == nil, path.steps.count == 1, let name = path.steps.first?.name else { return nil }
    switch job.decode.reading(of: name) {
    case .date(let form)?: return form == .rfc3339 ? .time : form.isNumber ? .number : .form(form)
    // The server may spell it in another way than `model` wants it.
    case .type?: return nil
    case nil: break
    }
    return switch job.model?.members.first(where: { $0.name == name })?.kind {
    case .integer, .number: .number
    case .date: .dateOrTime
    default: nil
    }
  }
}

extension SinceSample {
  /// The value that a hole has with this sample; nil if its form can't spell the sample.
  func text(of hole: Template.Hole) -> String? {
    if hole.isAge { return "1" }
    guard let form = hole.form else { return text }
    let time = CivilDate(text).map { Timestamp(midnightOf: $0) } ?? Timestamp(rfc3339: text)
    return (time ?? Timestamp(decimal: Array(text.utf8)[...], powerOfTen: 0)).map { form.written($0) }
  }
}

extension TemplateValue {
  /// A possible value of `start`, and its spelling; nil if only a run knows the value.
  fileprivate var sample: (text: String, spelling: String)? {
    switch self {
    case .constant(let value, let spelling): return (value.text, spelling)
    case .string(let template):
      if let text = template.literal { return (text, text) }
      switch template.spanUnit {
      case .date?: return (SinceSample.date, template.spelling)
      case .time?: return (SinceSample.time, template.spelling)
      case .integer?: return ("1", template.spelling)
      case nil: return nil
      }
    case .list, .map: return nil
    }
  }
}

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

// Quantities as a spec writes them: `30s`, `512MB`.

extension Duration {
  /// Parses `500ms`, `30s`, `2m` or `1h`; nil unless it is more than zero and at most a day.
  package init?(spelled text: String) {
    let milliseconds = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000]
    guard let quantity = Quantity(text), let unit = milliseconds[quantity.unit] else { return nil }
    let (product, overflow) = quantity.number.multipliedReportingOverflow(by: unit)
    guard !overflow, (1...86_400_000).contains(product) else { return nil }
    self = .milliseconds(product)
  }
}

/// Returns the bytes of a size such as `4GB`, `64KiB` or `100B`, at least one; nil for other text.
func byteCount(spelled text: String) -> Int? {
  let units = [
    "B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
  ]
  guard let quantity = Quantity(text), let unit = units[quantity.unit] else { return nil }
  let (product, overflow) = quantity.number.multipliedReportingOverflow(by: unit)
  return overflow || product < 1 ? nil : product
}
