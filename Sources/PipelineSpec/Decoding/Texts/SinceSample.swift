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
    case .member(let path): kind(of: path, in: job)
    }
  }

  /// Returns the kind of a template whose value is a member that the job's own span makes; nil for other templates.
  private static func kind(of template: Template, in job: Job) -> MarkKind? {
    guard let path = template.onlyHole?.path, path.steps.count == 1, let name = path.steps.first?.name else {
      return nil
    }
    for axis in job.each?.axes ?? [] where axis.names.contains(name) {
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
