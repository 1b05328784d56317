internal import Diagnostics
internal import JSONText
internal import Primitives

/// A value that `${since}` has in some run: `start`, or a mark such as the job remembers.
struct SinceSample {
  let text: String
  /// How a message begins that is about a run with it.
  let introduction: String
  /// Whether a run will have a value of this kind. Otherwise marks may as well be dates as times.
  let isCertain: Bool

  private init(start: String) {
    text = start
    introduction = "with 'start: \(start.printable)'"
    isCertain = true
  }

  private init(mark: String, isCertain: Bool) {
    text = mark
    introduction = "with a mark such as \(mark)"
    self.isCertain = isCertain
  }

  /// What the job's marks are, where `model` or `decode` says so.
  private enum MarkKind { case number, time, dateOrTime }

  /// One for each kind of value that `${since}` may have. Where neither `model` nor `decode` says what marks are, they
  /// are of the kind of `start`; and where that is a date, perhaps times.
  static func all(of job: Job) -> [SinceSample] {
    guard let incremental = job.incremental else { return [] }
    let start = incremental.start.map { $0.string ?? $0.text }
    var samples = start.map { [SinceSample(start: $0)] } ?? []
    var kind = markKind(of: job, incremental)
    if kind == nil, start.flatMap({ CivilDate($0) }) != nil { kind = .dateOrTime }
    switch kind {
    case .number?: samples.append(SinceSample(mark: "1", isCertain: true))
    case .time?: samples.append(SinceSample(mark: time, isCertain: true))
    case .dateOrTime?: samples += [date, time].map { SinceSample(mark: $0, isCertain: false) }
    case nil: break
    }
    return samples
  }

  private static let date = "2024-01-31"
  private static let time = "2024-01-31T00:00:00Z"

  /// The mark is read from the record as the server sent it, so that `decode.dates` says more of it than `model`.
  private static func markKind(of job: Job, _ incremental: Incremental) -> MarkKind? {
    guard job.decode.keys == nil, incremental.mark.steps.count == 1, let name = incremental.mark.steps.first?.name
    else { return nil }
    if let date = job.decode.dates.first(where: { $0.name == name }) {
      return date.form == .rfc3339 ? .time : .number
    }
    return switch job.model?.members.first(where: { $0.name == name })?.kind {
    case .integer, .number: .number
    case .date: .dateOrTime
    default: nil
    }
  }
}
