/// What a run must bring, reckoned from the catalog without any request.
struct MatrixExpectation {
  private(set) var lines: [String] = []
  /// What is remembered afterwards, by job, as JSON.
  private(set) var marks: [String: String]
  /// The records that were written, by key of the mark: those at the mark come again by an inclusive filter.
  private(set) var written: [String: Set<String>]
  /// The requests that it takes.
  private(set) var requests = 0
  /// The requests of the longest stream.
  private(set) var longest = 0
  private(set) var streams = 0
  /// Input records that are left out or answered empty.
  private(set) var rejects = 0

  private let matrixCase: MatrixCase
  private let server: ModelServer
  private let known: [String: String]
  private let writtenBefore: [String: Set<String>]
  /// Start of the run, as a time.
  private let start: String

  /// - Parameters:
  ///   - marks: what was remembered before.
  ///   - written: the records that were written before.
  ///   - second: when the run starts, in seconds since the start of 2024.
  init(
    _ matrixCase: MatrixCase, _ server: ModelServer, marks: [String: String], written: [String: Set<String>] = [:],
    at second: Int
  ) {
    self.matrixCase = matrixCase
    self.server = server
    self.marks = marks
    (self.written, known, writtenBefore) = (written, marks, written)
    start = ModelCalendar.time(second)
    switch matrixCase.shape {
    case .alone: add(stream("items", [:]))
    case .list: for list in ["a", "b", "c", "d"] { add(stream("items", ["list": list])) }
    case .days, .times, .numbers, .open: for window in windows(second) { add(stream("items", window)) }
    case .stepOpen:
      for list in stream("lists", [:]) {
        for window in windows(second, list.list) {
          add(stream("items", window.merging(["list": list.list]) { $1 }))
        }
      }
    case .step, .attach, .stepSkipping, .attachEmpty: for list in stream("lists", [:]) { add(list) }
    case .batch, .batchAttach: addBatches(of: stream("lists", [:]))
    }
  }

  private mutating func add(_ records: [ModelRecord]) {
    lines += records.map(\.json)
  }

  private mutating func add(_ list: ModelRecord) {
    guard list.list != server.forbiddenList else {
      (requests, rejects) = (requests + matrixCase.extra.requestsPerPage, rejects + 1)
      if matrixCase.shape.attaches { lines.append(list.json(attaching: [])) }
      return
    }
    let items = stream("items", ["list": list.list])
    if matrixCase.shape.attaches { lines.append(list.json(attaching: items)) } else { add(items) }
  }

  /// Two lists at a time.
  private mutating func addBatches(of lists: [ModelRecord]) {
    for start in stride(from: 0, to: lists.count, by: 2) {
      let batch = lists[start..<min(start + 2, lists.count)]
      let items = stream("items", ["list": batch.map(\.list).joined(separator: ",")])
      guard matrixCase.shape.attaches else {
        add(items)
        continue
      }
      for list in batch { lines.append(list.json(attaching: items.filter { $0.list == list.list })) }
    }
  }

  /// All pages of one stream.
  private mutating func stream(_ job: String, _ filters: [String: String]) -> [ModelRecord] {
    var filters = filters
    let isMarked = matrixCase.mark.jobs.contains(job)
    let key = self.key(job, filters["list"])
    if isMarked, !matrixCase.shape.hasWindows, matrixCase.mark.isFilter { filters["since"] = since(key) }
    if isMarked, matrixCase.mark == .untilKnown { filters["order"] = "desc" }
    let (sent, pages) = came(server.records(of: "/\(job)", filters), key, job)
    let records = sent.filter { keeps($0, job) }.map { record in
      record.dropping(matrixCase.extra.dropped(from: job, matrixCase.mark))
    }
    let count = pages * matrixCase.extra.requestsPerPage
    requests += count
    streams += 1
    longest = max(longest, count)
    // A window may end after the start of the run, and its mark may not.
    let end = filters["before"].map { "\"\(min($0, start))\"" }
    let highest =
      switch matrixCase.mark {
      case .windowEnd: end
      case .runStart: "\"\(start)\""
      case .answer: server.sync(of: "/\(job)", filters).map { "\"\($0)\"" }
      default: matrixCase.mark.highest(of: records)
      }
    if isMarked, let highest {
      marks[key] = marks[key].map { Self.higher($0, highest, known[key]) } ?? highest
    }
    guard isMarked else { return records }
    written[key, default: []].formUnion(records.map(\.json))
    let news = records.filter { !comesAgain($0, key) }
    return matrixCase.mark.isFilter ? news : news.filter { !isKnown($0, key) }
  }

  /// Reports that the run before has written a record with the same bytes, and that its mark is not below the saved one.
  private func comesAgain(_ record: ModelRecord, _ key: String) -> Bool {
    guard matrixCase.mark.isOfRecords, let saved = known[key], writtenBefore[key]?.contains(record.json) == true,
      let mark = matrixCase.mark.highest(of: [record])
    else { return false }
    return Self.higher(mark, saved, nil) == mark
  }

  /// The records of the pages that are asked for, and how many pages that are.
  private func came(_ records: [ModelRecord], _ key: String, _ job: String) -> ([ModelRecord], Int) {
    let size = MatrixPager.pageSize
    guard matrixCase.mark == .untilKnown,
      let first = records.firstIndex(where: { keeps($0, job) && isKnown($0, key) })
    else {
      return (records, matrixCase.pager.requests(for: records.count))
    }
    let pages = first / size + 1
    return (Array(records.prefix(pages * size)), pages)
  }

  /// What a mark is remembered by; a list's own has the list's name after a '/'.
  private func key(_ job: String, _ list: String?) -> String {
    switch matrixCase.mark {
    case .byList: return "\(job)/\(list ?? "")"
    case .byListAndID:
      let id = server.catalog.lists.first { $0.list == list }?.id ?? 0
      return "\(job)/[\"\(list ?? "")\",\(id)]"
    default: return job
    }
  }

  private func keeps(_ record: ModelRecord, _ job: String) -> Bool {
    job != "items" || matrixCase.extra.keeps(record)
  }

  private func isKnown(_ record: ModelRecord, _ key: String) -> Bool {
    known[key] == nil ? record.time < since(key) : record.time <= since(key)
  }

  /// Of two marks of a run.
  ///
  /// What was known before it does not count once the run has seen one.
  private static func higher(_ a: String, _ b: String, _ known: String?) -> String {
    if a == known { return b }
    if let first = Int(a), let second = Int(b) { return first > second ? a : b }
    return max(a, b)
  }

  /// What `${since}` is.
  private func since(_ key: String) -> String {
    known[key].map { $0.filter { $0 != "\"" } } ?? matrixCase.mark.start
  }

  private func windows(_ now: Int, _ list: String? = nil) -> [[String: String]] {
    let start = matrixCase.mark == .none ? nil : since(key("items", list))
    switch matrixCase.shape {
    case .open, .stepOpen:
      let (from, step) = (start.map(ModelCalendar.second) ?? 0, 36 * 3_600)
      return stride(from: from, through: now, by: step).map { start in
        ["from": ModelCalendar.time(start), "before": ModelCalendar.time(min(start + step, now + 1))]
      }
    case .numbers:
      return windows(from: start.flatMap { Int($0) } ?? 99, to: 140, step: 10, gap: 1) { "\($0)" }
    case .times:
      let from = start.map(ModelCalendar.second) ?? 0
      return windows(from: from, to: now, step: 36 * 3_600, gap: 1, ModelCalendar.time)
    default:
      let day = ModelCalendar.secondsADay
      let from = start.map(ModelCalendar.second) ?? 0
      return windows(
        from: from / day * day, to: now / day * day, step: 2 * day, gap: day, ModelCalendar.day)
    }
  }

  private func windows(
    from: Int, to: Int, step: Int, gap: Int, _ text: (Int) -> String
  ) -> [[String: String]] {
    stride(from: from, through: to, by: step).map { start in
      ["from": text(start), "until": text(min(start + step - gap, to))]
    }
  }
}
