/// What a spec does with the pages and records of a combination besides.
enum MatrixExtra: String, CaseIterable, Sendable {
  case none = "as they come"
  /// Some items are left out: all of one page, and the newest of all.
  case filter = "where"
  /// Items lose members, also those that are the mark and the cursor.
  case trim = "drop"
  /// The server begins to work on a page when it is asked for it first.
  case poll

  /// All that do something.
  static let added = allCases.filter { $0 != .none }

  /// Whether it is played with a pager.
  func isPlayed(with pager: MatrixPager) -> Bool {
    switch self {
    case .none: true
    case .filter, .poll: pager.isPlain
    case .trim: pager.isPlain || pager == .cursorOfLast
    }
  }

  private static let leftOut = [1, 2, 3, 8, 10, 12]

  func keeps(_ record: ModelRecord) -> Bool {
    self != .filter || !Self.leftOut.contains(record.id)
  }

  /// Members that a job's records lose.
  func dropped(from job: String, _ mark: MatrixMark) -> [String] {
    guard self == .trim else { return [] }
    if job == "lists" { return ["at", "seq"] }
    return ["at", "day", mark == .number ? "seq" : "id"]
  }

  /// The keys that a job has for it.
  func keys(of job: String, _ mark: MatrixMark) -> [String] {
    switch self {
    case .filter where job == "items":
      ["where: { id: { not: [\(Self.leftOut.map { "\($0)" }.joined(separator: ", "))] } }"]
    case .none, .filter: []
    case .trim: ["drop: [\(dropped(from: job, mark).joined(separator: ", ")), no.such]"]
    case .poll: ["poll: { until: { body.state: done }, every: 10s }"]
    }
  }

  /// The requests that a page takes.
  var requestsPerPage: Int { self == .poll ? 2 : 1 }
}
