/// What `incremental` remembers, and of which job.
enum MatrixMark: String, CaseIterable, Sendable {
  case none = "no mark"
  case time = "marks are times"
  case day = "marks are dates"
  case number = "marks are numbers"
  /// `start` is a date, marks are times.
  case timeAfterDay = "marks are times, start is a date"
  /// Of the first step.
  case ofLists = "marks of the first step"
  case ofBoth = "marks of both steps"
  /// `by`.
  case byList = "a mark for each list"
  /// `by` of two members.
  case byListAndID = "a mark for each list and id"
  /// The server sends everything each time.
  case onlyNew = "only new"
  /// The server sends everything each time, the newest first.
  case untilKnown = "only new, until known"
  /// `${input.from.next}`.
  case windowEnd = "mark of the window"
  /// `${now}`.
  case runStart = "mark is the start of the run"
  /// `${body.sync}`.
  case answer = "mark of the last page"

  /// The marks that don't depend on how pages turn, and are played with two pagers only.
  static func few(for shape: MatrixShape, _ pager: MatrixPager) -> [MatrixMark] {
    guard [.number, .cursor].contains(pager) else { return [] }
    return switch shape {
    case .alone: [.onlyNew, .untilKnown, .runStart, .answer]
    case .list: [.byList, .runStart]
    case .attach, .stepSkipping, .attachEmpty: [.byList]
    case .step: [.byList, .byListAndID]
    case .open: [.time, .windowEnd]
    case .stepOpen: [.none, .byList, .byListAndID]
    default: []
    }
  }

  /// The other marks that make sense for a shape.
  ///
  /// - Parameter isPlain: whether the pager is one that the reference names.
  static func all(for shape: MatrixShape, isPlain: Bool) -> [MatrixMark] {
    switch shape {
    case .open, .stepOpen: []
    case .alone: isPlain ? [.none, .time, .number] : [.none, .time]
    case .list: isPlain ? [.none, .time] : [.time]
    case .days: isPlain ? [.none, .day, .timeAfterDay, .time] : [.timeAfterDay]
    case .times: isPlain ? [.none, .time] : []
    case .numbers: isPlain ? [.none, .number] : []
    case .step: isPlain ? [.none, .time, .ofLists] : [.time]
    case .batch: isPlain ? [.none, .time, .ofLists] : []
    case .batchAttach: isPlain ? [.none, .time] : []
    case .attach: isPlain ? [.none, .time, .ofBoth] : [.none]
    case .stepSkipping, .attachEmpty: isPlain ? [.none, .time] : []
    }
  }

  /// The jobs that have `incremental`.
  var jobs: [String] {
    switch self {
    case .none: []
    case .ofLists: ["lists"]
    case .ofBoth: ["lists", "items"]
    default: ["items"]
    }
  }

  /// The member that is the mark.
  var member: String {
    switch self {
    case .day: "day"
    case .number: "seq"
    default: "at"
    }
  }

  /// Whether the mark is a member of the records, so that those at the saved mark don't come out again.
  var isOfRecords: Bool { ![.windowEnd, .runStart, .answer].contains(self) }

  /// Whether `${since}` is a filter of the server.
  var isFilter: Bool { ![.onlyNew, .untilKnown].contains(self) }

  /// The value of `incremental`.
  var incremental: String {
    switch self {
    case .byList: "{ mark: at, by: list, start: \(start) }"
    case .byListAndID: "{ mark: at, by: [list, id], start: \(start) }"
    case .onlyNew, .untilKnown: "{ mark: at, start: \(start), only: new }"
    case .windowEnd: "{ mark: \"${input.from.next}\", start: \(start) }"
    case .runStart: "{ mark: \"${now}\", start: \(start) }"
    case .answer: "{ mark: \"${body.sync}\", start: \(start), expired: 410 }"
    default: "{ mark: \(member), start: \(start) }"
    }
  }

  /// `start`, as the spec spells it.
  var start: String {
    switch self {
    case .day, .timeAfterDay: "2024-01-01"
    case .number: "99"
    default: "2024-01-01T00:00:00Z"
    }
  }

  /// What a job remembers of its records, as JSON.
  ///
  /// Nil for none.
  func highest(of records: [ModelRecord]) -> String? {
    switch self {
    case .day: records.map(\.day).max().map { "\"\($0)\"" }
    case .number: records.map(\.number).max().map { "\($0)" }
    default: records.map(\.time).max().map { "\"\($0)\"" }
    }
  }
}
