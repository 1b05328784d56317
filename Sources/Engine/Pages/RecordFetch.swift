// The output for one input record (or none): its pages' records, or the input record with them attached.

import Files
import Diagnostics
import FetchPlan
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The output of a job for one input record, in order.
actor RecordFetch {
  private let job: JobContext
  /// The input record; the list of them for a job with `batch`.
  private let record: JSONValue?
  private let numbers: InputNumbers
  private let isExpanded: Bool
  /// Number of records of the current page that were read.
  private var readCount = 0
  /// Number of pages so far, in this process or before it.
  private var pageCount: Int
  /// Number of records so far, in this process, in which a list was cut.
  private var cutCount = 0
  /// The stream of the record, or of the part of its window that is fetched.
  private var pages: PageStream
  /// The parts of the record's window; nil if windows are not halved.
  private var parts: WindowParts?
  private var isStopped = false
  /// Number of records of the parts so far, in this process, in which a list was cut.
  private var partNested = 0
  /// The record's download, or the error of its templates.
  private let download: Result<Download, ParameterError>?
  /// The current page, which is given in batches.
  private var page: Spool?
  /// Position of the stream after the current page.
  private var position: StreamPosition?
  /// Next lines of the current page.
  private var lines: Batch?
  /// Members that `set` adds to the records of the current page.
  private var pageAdditions: PageAdditions?
  /// Members that `set` adds to the input record of a saved file.
  private var additions: [(name: String, value: JSONValue)] = []
  /// Fetched records of a batch with `match`, once all are there.
  private(set) var table: MatchTable?
  /// Compares the records of the stream's pages, or those of the parts of a window; nil without `unique`.
  private var unique: UniqueRecords?
  /// True if another process has found that the server no longer knows the saved mark.
  private let forgetsMark: Bool
  /// Number of records that another process has written of this stream, until they are read.
  private var writtenCount: Int
  /// The repeats, and the keys, of records that come out with the next ones.
  private var repeats = Batch(lines: [])
  /// Number of the page that the current records are from.
  private var pageNumber = 0
  /// URL of the stream's first request, without secrets of the job.
  private var firstURL = ""
  /// URL of the page that the current records are from.
  private var pageURL: Redactable?
  private var isFirst = true
  /// True if no record of a batch has the values that the request is about.
  private var asksForNothing = false
  private var isOver = false

  /// Prepares the output for a record.
  ///
  /// - Parameters:
  ///   - checkpoint: position at which another process stopped in the pages of this record.
  ///   - isExpanded: false for a record for which `each` failed, so that the fetch fails too.
  init(
    _ job: JobContext, record: JSONValue?, _ numbers: InputNumbers = InputNumbers(),
    resuming checkpoint: StageCheckpoint? = nil, isExpanded: Bool = true
  ) {
    let bookmarks = checkpoint?.pagerBookmarks ?? []
    let resumed = bookmarks.isEmpty ? nil : checkpoint
    let parts = WindowParts(job.plan.job, of: record)
    unique = parts == nil ? UniqueRecords.ofPages(job) : UniqueRecords.ofParts(job)
    forgetsMark = bookmarks.last?.forgetsMark == true
    if let resumed {
      unique?.remember(resumed.keys)
      unique?.remember(leftOut: resumed.streamRepeats)
    }
    writtenCount = resumed?.streamRecords ?? 0
    self.isExpanded = isExpanded
    self.job = job
    self.record = record
    self.numbers = numbers
    self.parts = bookmarks.last?.parts.flatMap { parts?.resumed(from: $0) } ?? parts
    pages = PageStream(job, record: record, numbers, resuming: parts == nil ? bookmarks : [])
    pageCount = bookmarks.last?.page ?? 0
    download = isExpanded ? Self.download(job, record) : nil
  }

  /// Plans the download at once, so that the first of two records with one path gets the path.
  ///
  /// Fetches are created in the order of their records.
  private static func download(_ job: JobContext, _ record: JSONValue?) -> Result<Download, ParameterError>? {
    guard let download = job.plan.job.download, let downloadStore = job.downloadStore, let record else { return nil }
    return Result { () throws(ParameterError) in
      try Download(download, job.plan, record: record, downloadStore: downloadStore, hiding: job.fetcher.secrets)
    }
  }

  /// Returns the next output records, none for a page without records; nil after the last.
  ///
  /// The last records of a page come with the stream's position after the page.
  func next() async throws(NetworkingError) -> (Batch, StreamPosition?)? {
    do {
      return try await output()
    } catch {
      // Free the path now, not when the error is reported: another record may wait for the path.
      if case .success(let download)? = download { download.target?.reservation.release() }
      throw error
    }
  }

  private func output() async throws(NetworkingError) -> (Batch, StreamPosition?)? {
    if isFirst { try begin() }
    if job.joinsBatches { return try await nextTable() }
    if let attach = job.plan.job.attach { return try await nextAttached(attach) }
    if let download { return try await nextSaved(download) }
    guard let (next, position) = try await nextBatch() else { return nil }
    let batch = try distinct(next)
    if position?.isOver == true { await endUnique() }
    return (batch, position)
  }

  /// Compares the records of all pages with the server's total, once they came.
  private func endUnique() async {
    guard unique != nil, parts == nil else { return }
    let total = await pages.reachedTotal
    unique?.end(reaching: total, of: input)
  }

  /// Returns the batch without the records that an earlier page of the stream has given.
  ///
  /// The parts of a window have been compared before.
  private func distinct(_ batch: Batch) throws(NetworkingError) -> Batch {
    guard unique != nil, parts == nil else { return batch }
    try readWritten()
    return unique?.distinct(batch, page: pageNumber, of: input, at: pageURL) ?? batch
  }

  /// Reads the records that another process has written of this stream.
  private func readWritten() throws(NetworkingError) {
    if writtenCount > 0, let written = job.written {
      do {
        try written.readLast(writtenCount) { unique?.remember($0) }
      } catch {
        throw failure(error)
      }
      writtenCount = 0
    }
  }

  /// The record, for evidence that its pages are not the whole set.
  private var input: FetchedInput? { record.map { FetchedInput(record: $0, numbers: numbers, url: firstURL) } }

  /// Starts to fetch the pages after the last one given.
  func lookAhead() async { await pages.lookAhead() }

  func stop() async {
    (isOver, isStopped) = (true, true)
    await pages.stop()
  }

  /// Returns the record with an empty list (or null) attached, for `onError: empty`; nil if it is not an object.
  func withNothingAttached() -> Batch? {
    guard let attach = job.plan.job.attach, let record else { return nil }
    return attached(attach, to: record, []).map { Batch(lines: $0.line) }
  }

  private func begin() throws(NetworkingError) {
    isFirst = false
    do {
      // `each` may succeed in this run, since its values may depend on the clock. Then the record is used as it is.
      if !isExpanded, let record { _ = try job.plan.eachRecords(for: record.unexpandedRecord ?? record) }
      asksForNothing = if isWanted { try job.plan.asksForNothing(record) } else { true }
      try job.plan.checkMembersOfEach(ofRequest: record)
      if download != nil { additions = try job.plan.additions(for: record) }
    } catch {
      throw NetworkingError(error, hiding: job.fetcher.secrets)
    }
  }

  /// False for an input record that `when` leaves out; those of a batch are left out before.
  private var isWanted: Bool {
    guard job.plan.job.batch == nil, let when = job.plan.job.when, let record else { return true }
    return when.holds(for: record)
  }

  /// Returns the next records of a page, the last ones with the stream's position; nil after the last page.
  private func nextBatch() async throws(NetworkingError) -> (Batch, StreamPosition?)? {
    var (begun, nested) = (0, 0)
    if page == nil {
      guard let (page, position) = try await nextPage() else { return nil }
      (self.page, self.position) = (page, position)
      lines = try read(page)
      begun = position.map { $0.pages - pageCount } ?? 1
      nested = position.map { $0.nested - cutCount } ?? 0
    }
    var batch = lines ?? Batch(lines: [])
    (batch.pages, batch.nested) = (begun, nested)
    batch.addRepeats(of: repeats)
    batch.keys += repeats.keys
    repeats = Batch(lines: [])
    pageCount += begun
    cutCount += nested
    lines = try lines == nil ? nil : page.flatMap { (page) throws(NetworkingError) in try read(page) }
    guard lines == nil else { return (batch, nil) }
    page = nil
    return (batch, position)
  }

  private func nextPage() async throws(NetworkingError) -> (Spool, StreamPosition?)? {
    if asksForNothing { return try noPages() }
    if job.plan.job.leavesOutWhole { return try await allPages() }
    return try await nextOfStream()
  }

  /// Returns the next page, or the records of the next part of a window.
  private func nextOfStream() async throws(NetworkingError) -> (Spool, StreamPosition?)? {
    if parts != nil { return try await nextPart() }
    guard let (page, position) = try await pages.next() else { return nil }
    await beginPage()
    return (page.lines, position)
  }

  /// Returns the records of the next part of the window once all have come; a part that has too many is halved.
  private func nextPart() async throws(NetworkingError) -> (Spool, StreamPosition?)? {
    while !isStopped, let part = parts?.current {
      pages = PageStream(job, record: part, numbers, splits: true, forgetsMark: forgetsMark)
      var ofPages = UniqueRecords.ofPages(job, isOfPart: true)
      guard let (all, bookmark, ofPart) = try await wholePart(part, &ofPages), !isStopped else { continue }
      let counts = await pages.counts
      if let excess = await pages.excess {
        job.windowLimit.learn(cut: counts.records)
        if parts?.split(total: counts.total) == true { continue }
        job.raise(excess, of: FetchedInput(record: part, numbers: numbers, url: await pages.firstURL))
      } else if await pages.cap == nil {
        job.windowLimit.learn(whole: counts.records)
      }
      partNested += await pages.cutCount
      repeats.addRepeats(of: ofPart)
      ofPages?.end(reaching: await pages.reachedTotal, of: nil)
      await tell(ofPages?.held ?? [], of: part)
      await pages.tellCap()
      let count = await pages.count
      pageNumber = (parts?.pages ?? 0) + count
      let (lines, leftOut) = try distinctPart(all)
      let again = counts.isOfOutput ? leftOut : 0
      guard let found = parts?.finish(received: counts.records, repeats: again, pages: count), let parts else { break }
      for evidence in found.missing { job.raise(evidence, of: input) }
      if let surplus = found.surplus { job.advise(surplus, about: "surplus") }
      pageAdditions = nil
      let isLast = parts.current == nil
      return (
        lines,
        StreamPosition(
          pages: parts.pages, nested: partNested, isOver: isLast, bookmark: isLast ? bookmark : bookmark?.after(parts))
      )
    }
    return nil
  }

  /// Raises what the pages of a part have shown, and its comparison.
  private func tell(_ evidence: [Evidence], of part: JSONValue) async {
    for evidence in await pages.held + evidence {
      job.raise(evidence, of: FetchedInput(record: part, numbers: numbers, url: await pages.firstURL))
    }
  }

  /// Returns the records of a part without those that an earlier part has given, and the number of these.
  private func distinctPart(_ all: Spool) throws(NetworkingError) -> (Spool, leftOut: Int) {
    guard unique != nil else { return (all, 0) }
    try readWritten()
    let distinct = job.fetcher.spool()
    var leftOut = 0
    do {
      while let held = try all.nextLines() {
        guard let batch = unique?.distinct(Batch(held), page: pageNumber) else { continue }
        try distinct.append(batch.lines, count: batch.count, batch.tokenIndex)
        repeats.addRepeats(of: batch)
        repeats.keys += batch.keys
        leftOut += batch.repeats
      }
    } catch {
      throw failure(error)
    }
    return (distinct, leftOut)
  }

  /// Returns all records of a part of the window, the bookmark at its end, and the repeats; nil if the part was halved.
  ///
  /// - Parameter ofPages: compares the part's pages.
  private func wholePart(
    _ part: JSONValue, _ ofPages: inout UniqueRecords?
  ) async throws(NetworkingError) -> (Spool, PagerBookmark?, Batch)? {
    let all = job.fetcher.spool()
    var bookmark: PagerBookmark?
    var repeats = Batch(lines: [])
    do throws(NetworkingError) {
      while let (page, position) = try await pages.next() {
        let total = await pages.counts.total
        if let total, job.windowLimit.isBelow(total), parts?.split(total: total) == true {
          await pages.stop()
          return nil
        }
        bookmark = position?.bookmark
        await beginPage(of: part)
        while let held = try read(page.lines) {
          let batch = ofPages?.distinct(held, page: pageNumber, at: pageURL) ?? held
          repeats.addRepeats(of: batch)
          try append(batch, to: all)
        }
      }
    } catch {
      let counts = await pages.counts
      guard error.refusesWindow, parts?.split(total: counts.total) == true else {
        await tell(ofPages?.held ?? [], of: part)
        throw error
      }
      job.windowLimit.learn(cut: counts.records)
      return nil
    }
    return (all, bookmark, repeats)
  }

  /// Takes what `set` and messages need of a page that has come.
  private func beginPage(of part: JSONValue? = nil) async {
    (pageNumber, firstURL, readCount) = await (pages.number, pages.firstURL, 0)
    if unique != nil { pageURL = await pages.pageFacts?.url }
    guard job.plan.job.setsInFetched else { return }
    pageAdditions = await pages.pageFacts.flatMap { job.plan.pageAdditions(for: part ?? record, on: $0) }
  }

  /// Returns all pages of the record as one, so that nothing of the record is output if a later page fails.
  private func allPages() async throws(NetworkingError) -> (Spool, StreamPosition?)? {
    guard !isOver else { return nil }
    isOver = true
    let all = job.fetcher.spool()
    while let (lines, _) = try await nextOfStream() {
      while let held = try read(lines) {
        let batch = try distinct(held)
        repeats.addRepeats(of: batch)
        try append(batch, to: all)
      }
    }
    await endUnique()
    // They have been compared, and have their members.
    (unique, pageAdditions) = (nil, nil)
    let (pageCount, nested) =
      if let parts { (parts.pages, partNested) } else { (await pages.count, await pages.cutCount) }
    return (all, StreamPosition(pages: pageCount, nested: nested, isOver: true, bookmark: nil))
  }

  /// Returns a page without records, once.
  private func noPages() throws(NetworkingError) -> (Spool, StreamPosition?)? {
    guard !isOver else { return nil }
    isOver = true
    return (job.fetcher.spool(), StreamPosition(pages: 0, isOver: true, bookmark: nil))
  }

  private func read(_ page: Spool) throws(NetworkingError) -> Batch? {
    let batch: Batch?
    do {
      batch = try page.nextLines().map { Batch($0) }
    } catch {
      throw failure(error)
    }
    guard let batch else { return nil }
    defer { readCount += batch.count }
    return try job.setting(pageAdditions, in: batch, after: readCount)
  }

  private func append(_ batch: Batch, to all: Spool) throws(NetworkingError) {
    do {
      try all.append(batch.lines, count: batch.count, batch.tokenIndex)
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ fault: FileError) -> NetworkingError {
    .outputFailure(reason: fault.problem)
  }

  /// Fetches all pages of a batch with `match` into `table`.
  private func nextTable() async throws(NetworkingError) -> (Batch, StreamPosition?)? {
    guard table == nil else { return nil }
    let (table, counts) = try await fetchTable()
    self.table = table
    return (counts, endOfStream)
  }

  /// Fetches all pages, and returns their records, which belong to input records, with their counts.
  func fetchTable() async throws(NetworkingError) -> (MatchTable, counts: Batch) {
    var table = MatchTable(pairs: job.plan.job.match.map { ($0.fetched, $0.input) })
    var count = 0
    while let (next, _) = try await nextBatch() {
      let batch = try distinct(next)
      repeats.addRepeats(of: batch)
      table.add(lines: batch.lines, batch.tokenIndex)
      count += batch.count
    }
    await endUnique()
    return (table, batch([], of: count))
  }

  /// Returns lines with the counts of all pages.
  private func batch(_ lines: [UInt8], of count: Int) -> Batch {
    var batch = Batch(lines: lines)
    batch.addRepeats(of: repeats)
    batch.fetchedCount = count
    (batch.pages, batch.nested) = (pageCount, cutCount)
    return batch
  }

  private var endOfStream: StreamPosition {
    StreamPosition(pages: pageCount, nested: cutCount, isOver: true, bookmark: nil)
  }

  /// Returns the one output record of a job with `attach`: the input record with the whole content.
  private func nextAttached(_ attach: Job.Attach) async throws(NetworkingError) -> (Batch, StreamPosition?)? {
    guard !isOver, let record else { return nil }
    isOver = true
    guard record.kind == .object else {
      throw .decodingError(
        source: "input", page: nil, record: numbers.first, keyPath: "",
        expected: "an object to attach '\(attach.name)' to",
        found: record.kind.withArticle)
    }
    var chunks: [[UInt8]] = []
    var count = 0
    while let (next, _) = try await nextBatch() {
      let batch = try distinct(next)
      repeats.addRepeats(of: batch)
      if case .one(let name) = attach, batch.count > 0 { try await checkOne(name, after: chunks.count) }
      if !batch.lines.isEmpty { chunks.append(batch.lines) }
      count += batch.count
    }
    await endUnique()
    guard let attached = attached(attach, to: record, chunks) else { return nil }
    return (batch(attached.line, of: count), endOfStream)
  }

  /// Returns the one output record of a job with `download`: the input record with the metadata of its file.
  private func nextSaved(
    _ download: Result<Download, ParameterError>
  ) async throws(NetworkingError) -> (Batch, StreamPosition?)? {
    guard !isOver, let record, let downloadStore = job.downloadStore else { return nil }
    isOver = true
    guard record.kind == .object else {
      throw .decodingError(
        source: "input", page: nil, record: numbers.first, keyPath: "", expected: "an object to set 'file' in",
        found: record.kind.withArticle)
    }
    let wanted = try job.evaluating(download.get)
    let (file, status) = try await job.fetcher.save(wanted, by: downloadStore)
    job.fetcher.report.countAnswer(status, isNothing: file == nil, of: job)
    if let file {
      if let size = wanted.size, size != file.size {
        job.advise(
          "'\(file.path.text)' has \(file.size) bytes, and its record says \(size): see 'size' of 'download', and "
            + "whether other files differ, too", about: "size")
      }
      job.progressLog?.appendSavedPath(DownloadStore.hash(of: file.path.names), stage: job.stage, record: numbers.first)
    }
    guard let changed = record.setting("file", to: file?.json ?? .null) else { return nil }
    return (
      Batch(lines: try adding(additions, to: changed).line), StreamPosition(pages: 0, isOver: true, bookmark: nil)
    )
  }

  /// Throws if there is more than one record.
  ///
  /// - Parameter before: number of records of the preceding pages, at most one.
  private func checkOne(_ name: String, after before: Int) async throws(NetworkingError) {
    guard let page = await pages.pageFacts else { return }
    let count = before + page.body.recordCount - page.body.leftOutCount
    guard count > 1 else { return }
    throw .decodingError(
      source: job.fetcher.secrets.redacting(page.url.redacted), page: page.number, record: 2 - before, keyPath: name,
      expected: oneAtMost("record", name), found: "\(count)")
  }

  private func attached(_ attach: Job.Attach, to record: JSONValue, _ chunks: [[UInt8]]) -> JSONValue? {
    switch attach {
    case .list(let name): Unwrapping.attached(record, name: name, elements: chunks)
    case .one(let name): Unwrapping.attached(record, name: name, one: chunks.first)
    }
  }
}
