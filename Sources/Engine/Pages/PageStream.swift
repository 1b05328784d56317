// One stream of pages: the loop in which a page's facts determine the next request.

import Diagnostics
import FetchPlan
import Files
import JSONText
import PipelineSpec
import Primitives
import Unwrapping
import Wire

/// Fetches the pages of one stream, in order, on demand.
///
/// Pages that don't depend on earlier ones are fetched ahead (`PagesAhead`), from the second page on, once the first was
/// given. The stream already holds a permit of the job's `ConcurrencyLimit` for its current page.
actor PageStream {
  /// The job; with `pages: auto`, its plan has the pager once that is chosen.
  var job: JobContext
  let record: JSONValue?
  let numbers: InputNumbers
  private let bookmarks: [PagerBookmark]
  /// It is taken out while it works, since reading a property of a stored pager copies all of it.
  var pager: Pager?
  /// Number of records so far, in this process, in which a list was cut.
  private(set) var cutCount = 0
  var wants: PageWants?
  private var upcoming: Request?
  /// Number of the last page given.
  var number = 0
  /// The request of page one.
  private(set) var first: Request?
  /// Number of pages given, in this process or before it.
  private var pageCount = 0
  /// Facts about the last page given.
  private(set) var pageFacts: PageFacts?
  private var ahead: PagesAhead
  /// Error that follows the last page given.
  private var fault: NetworkingError?
  /// True if no page follows the last one given.
  private var isOver = false
  private(set) var isStopped = false
  /// The user's own limit, if it ended the pages, so that the last one was not requested.
  private(set) var cap: Int?
  /// True if this stream has chosen the pager for `pages: auto`, so that its second page shows whether it is right.
  var trial: PagesTrial?
  /// True if the first page left open whether there are others (`pages: auto`).
  var isUndecided = false
  /// Key of the input record's own mark; nil if the job has one mark.
  var markID: ExactText?
  /// Mark of the input record, if `mark` is a template.
  private var inputMark: HighWaterMark?
  /// True if the stream is of a window that is halved if it has too many records.
  let splits: Bool
  /// True if another process has found that the server no longer knows the saved mark.
  private let forgetsMark: Bool
  /// Evidence that the window has too many records for one stream.
  var excess: Evidence?
  /// Other evidence about the window, which counts unless the window is halved.
  var held: [Evidence] = []
  /// True if the requests are those of a first run, since the server no longer knows the saved mark.
  var isWithoutMark = false

  /// Creates the stream.
  ///
  /// - Parameters:
  ///   - bookmarks: bookmarks at which another process stopped; empty to begin at page one.
  ///   - forgetsMark: whether another process has found that the server no longer knows the saved mark.
  init(
    _ job: JobContext, record: JSONValue?, _ numbers: InputNumbers, resuming bookmarks: [PagerBookmark] = [],
    splits: Bool = false, forgetsMark: Bool = false
  ) {
    (self.splits, self.forgetsMark) = (splits, forgetsMark || bookmarks.last?.forgetsMark == true)
    self.job = job
    (self.record, self.numbers) = (record, numbers)
    self.bookmarks = bookmarks
    ahead = PagesAhead(of: job)
  }

  deinit { ahead.cancel() }

  /// Returns the next page and the stream's position after it, or nil after the last page.
  ///
  /// A page that shows that the pages repeat in a circle is not returned. The error is thrown instead.
  func next() async throws(NetworkingError) -> (Page, StreamPosition?)? {
    guard !isStopped else { return nil }
    if case nil = pager { try await begin() }
    if let fault {
      self.fault = nil
      throw fault
    }
    guard let request = upcoming, let wants else {
      await finish()
      return nil
    }
    number += 1
    upcoming = nil
    let page: Page
    var pageFacts: PageFacts
    do {
      (page, pageFacts) = try await fetchSmaller(request, wants)
    } catch {
      let fault = number == 2 ? trial?.fault : nil
      if let other = takeOther(after: error) {
        try advance(after: other)
        return try await next()
      }
      if let fault { throw fault }
      guard isAtResumedPosition, error.mayConcernPosition, await comesFirstPage(wants) else {
        throw error.noting(remedy(for: error))
      }
      throw expired(because: "the server no longer gives what follows page \(number - 1)", error)
    }
    if let finding = pageFacts.body.expiry {
      try beginWithoutMark(because: finding, pageFacts)
      return try await next()
    }
    pageFacts = try await choosePages(after: pageFacts)
    do {
      try advance(after: pageFacts)
    } catch {
      let fault = number == 2 ? trial?.fault : nil
      guard let other = takeOther(after: error) else { throw fault ?? error }
      try advance(after: other)
      return try await next()
    }
    if let trial, pageFacts.number > 1 || isOver { tell(trial) }
    if pager?.endsRepeated == true { return (.empty, position) }
    try see(page.highest, on: pageFacts)
    if job.plan.job.filter != nil, job.plan.job.match.isEmpty { job.report.countFiltered(pageFacts.body, of: job) }
    for (key, isMiss) in job.plan.misses(in: pageFacts) { job.report.countMiss(isMiss, of: key, in: job) }
    job.report.countAnswer(pageFacts.status, isNothing: pageFacts.isAnsweredByNothing(job.plan.job), of: job)
    self.pageFacts = pageFacts
    if pageFacts.status < 300 { pageCount += 1 }
    return (page, position)
  }

  /// Prepares the stream to begin anew without the saved mark, which page one says is too old.
  ///
  /// - Throws: the error of a later page, since the records before it have left.
  private func beginWithoutMark(because finding: String, _ pageFacts: PageFacts) throws(NetworkingError) {
    try job.evaluating(forgetMark)
    guard number == 1 else {
      let error = job.fetcher.contentFailure("\(finding), so that the mark of the last run is too old", pageFacts)
      let warning =
        "\(job.name): the mark of the last run is too old at page \(number) (\(finding)): it is forgotten, and the run begins "
        + "anew"
      _ = job.report.beginAnew(job.fetcher.secrets.redacting(warning).printable, isForMark: true)
      throw error
    }
    job.advise(
      "the mark of the last run is too old (\(finding)): it is forgotten, and the run begins anew, so that records which "
        + "came before come again", about: "expired")
    pager = nil
    number = 0
  }

  /// Makes the requests those of a first run.
  private func forgetMark() throws(ParameterError) {
    job.highWaterMarks.expire(in: job.name, by: try job.plan.markID(of: record))
    job.plan = try job.plan.withoutMarks()
    isWithoutMark = true
  }

  /// Returns a remedy: some servers have no page after the last one, cursors and addresses expire, and jobs fail.
  private func remedy(for error: NetworkingError) -> String {
    if case .contentFailure = error, record != nil, job.plan.job.poll?.failure != nil, let log = job.progressLog {
      job.report.losePosition()
      return "if the server has given up this job, \(log.wayToStartOver) to start another"
    }
    guard case .invalidResponseStatus(_, let context) = error, let status = context.status else { return "" }
    let hint = context.hint
    if job.plan.job.endpoint?.isFromRecord == true, let log = job.progressLog, [401, 403, 404, 410].contains(status) {
      job.report.losePosition()
      return "the address comes from the step before: if it has expired, \(log.wayToStartOver) to get another"
    }
    let isNumbered = pager?.request(ofPage: number) != nil
    // For an input record, the server may well have nothing.
    if hint.isEmpty, number <= 1, record == nil, [404, 410].contains(status) { return "see 'base' and 'endpoint'" }
    guard number > 1, isNumbered, [400, 404, 410, 416, 422].contains(status) else { return "" }
    return "if that is the end of the pages, write 'empty: \(status)' in the step"
  }

  private func see(_ mark: HighWaterMark, on pageFacts: PageFacts) throws(NetworkingError) {
    guard job.plan.job.savesMark, let incremental = job.plan.job.incremental else { return }
    if case .answer = incremental.mark { return try seeAnswer(pageFacts) }
    let mark = inputMark ?? mark
    let texts = [mark.value?.text, markID?.text].compactMap { $0 }
    if texts.contains(where: { job.fetcher.secrets.redacting($0) != $0 }) {
      return job.highWaterMarks.leaveOutSecret(in: job.name)
    }
    do throws(HighWaterMark.Mixed) {
      if let saved = job.plan.since(for: record), !saved.isStart { try mark.checkNoWord(after: saved.value) }
      try job.highWaterMarks.see(
        mark, of: pageFacts.body.recordCount - pageFacts.body.leftOutCount, in: job.name, by: markID)
    } catch {
      throw .decodingError(
        source: job.fetcher.secrets.redacting(pageFacts.url.redacted), page: pageFacts.number, record: 1,
        keyPath: job.plan.job.incremental?.keyPath ?? "",
        expected: error.expected, found: error.found)
    }
    try checkFirst(mark)
  }

  /// Remembers the mark that the last page has.
  private func seeAnswer(_ pageFacts: PageFacts) throws(NetworkingError) {
    // The saved mark is still that of what an unchanged answer stands for.
    guard isLast, fault == nil, cap == nil, pageFacts.status != 304 else { return }
    let mark = HighWaterMark(
      try job.evaluating { () throws(ParameterError) in try job.plan.answerMark(in: pageFacts) })
    if let text = mark.value?.text, job.fetcher.secrets.redacting(text) != text {
      return job.highWaterMarks.leaveOutSecret(in: job.name)
    }
    job.highWaterMarks.replace(mark, in: job.name, by: markID)
    try checkFirst(mark)
  }

  /// Number of pages so far.
  var count: Int { pageCount }

  /// The server's total of records, if as many came.
  var reachedTotal: Int? { pager?.reachedTotal }

  /// True if no request follows the last page; comparing with nil would copy the request.
  private var isLast: Bool { if case nil = upcoming { true } else { false } }

  /// Nil if the page is followed by an error, so that a resumed run fetches it again.
  private var position: StreamPosition? {
    guard fault == nil else { return nil }
    return StreamPosition(pages: pageCount, nested: cutCount, isOver: isLast, bookmark: bookmark)
  }

  private var bookmark: PagerBookmark? {
    guard let progressLog = job.progressLog, let pager else { return nil }
    var bookmark = pager.bookmark(isAlone: !progressLog.keepsEachBookmark)
    bookmark?.forgetsMark = isWithoutMark
    return bookmark
  }

  private func begin() async throws(NetworkingError) {
    do {
      if forgetsMark { try forgetMark() }
      markID = try job.plan.markID(of: record)
      if !isWithoutMark, job.highWaterMarks.isExpired(in: job.name, by: markID) { try forgetMark() }
      warnOfSharedMark()
      inputMark = try readInputMark()
      let request = try job.plan.request(for: record, hiding: job.fetcher.secrets)
      if let choice = job.autoPager?.take() { job.plan = choice.plan }
      let later = try job.plan.laterRequest(after: request, for: record, hiding: job.fetcher.secrets)
      let pager = job.plan.pager(first: request, then: later, record: record, secrets: job.fetcher.secrets)
      first = request
      wants = try pageWants()
      start(with: pager)
    } catch {
      throw NetworkingError(error, hiding: job.fetcher.secrets)
    }
    try await confirmPosition()
  }

  /// True if the page in progress is the first one since the run was resumed.
  private var isAtResumedPosition: Bool { bookmarks.last.map { number == $0.page + 1 } ?? false }

  /// Fetches the last page of a resumed stream again, if the list may have moved since.
  private func confirmPosition() async throws(NetworkingError) {
    guard !bookmarks.isEmpty, let request = pager?.requestBefore, upcoming != nil, var wants else { return }
    // The names may stand on page one itself.
    if number == 1 { wants.unwrapping.firstPageColumns = nil }
    let url: Redactable
    do {
      let (_, pageFacts) = try await job.fetcher.fetch(request, number: number, wants: wants)
      if pager?.confirm(pageFacts) == true { return }
      url = pageFacts.url
    } catch {
      guard error.mayConcernPosition, await comesFirstPage(wants) else { throw error }
      throw expired(because: "the server no longer gives page \(number)", error)
    }
    let reason = "page \(number) has other records than before, so that the list has moved"
    throw expired(
      because: reason,
      .invalidPage(url: job.fetcher.secrets.redacting(url.redacted).printable, page: number, reason: reason))
  }

  /// Reports that page one can be fetched: then it is the position that the server refuses, and not the run.
  private func comesFirstPage(_ wants: PageWants) async -> Bool {
    guard let first, !isStopped else { return false }
    var wants = wants
    wants.unwrapping.firstPageColumns = nil
    return (try? await job.fetcher.fetch(first, number: 1, wants: wants)) != nil
  }

  /// Lets the run begin anew, and returns the error for a run that can't.
  private func expired(because reason: String, _ error: NetworkingError) -> NetworkingError {
    if job.report.beginAnew("\(job.name): \(reason): the run can't be resumed, and begins anew") { return error }
    job.report.losePosition()
    return error
  }

  func pageWants() throws(ParameterError) -> PageWants {
    let job = job.plan.job
    let plan = self.job.plan
    var unwrapping = UnwrapOptions(
      format: job.read, content: try plan.content(for: record), captures: plan.captures, columns: job.columns,
      columnNames: job.columnNames)
    // Messages about the first page, and those of 'poll', name what stands in place of a path.
    let watched = job.poll == nil ? plan.pagerPaths : plan.captures
    unwrapping.watchedCount = bookmarks.isEmpty ? watched.count : 0
    unwrapping.keys = job.keyNames
    unwrapping.isOptional = job.contentIdentifier?.isOptional == true || job.empty?.isMissing == true
    unwrapping.filter = try plan.filter(for: record).map { RecordFilter($0) } ?? self.job.filter
    unwrapping.errorLines = job.failure?.ofRecords.map { RecordFilter($0) }
    unwrapping.reshaper = self.job.reshaper
    unwrapping.wantsHash = job.pages?.comparesPages ?? false
    unwrapping.lastPaths = job.lastPaths
    (unwrapping.wantsObjects, unwrapping.carriesSource) = (job.setsInFetched, self.job.carriesSource)
    unwrapping.mark = try markReading()
    unwrapping.tokenIndexDepth = self.job.tokenIndexDepth
    unwrapping.wantsOutline = true
    if !job.ignored.contains(.nested) {
      unwrapping.cutLists = CutLists(NestedLists.search, list: NestedLists.first(in:))
    }
    var wants = PageWants(
      unwrapping: unwrapping, isGraphQL: job.isGraphQL, failure: job.failure, empty: job.empty,
      later: job.retry.condition, refused: job.auth?.refused, poll: job.poll, ignored: job.ignored)
    if let since = plan.since(for: record), !since.isStart { wants.expired = job.incremental?.expired }
    wants.unwrapping.endsLate = wants.readsAnswer
    return wants
  }

  /// Starts at the first page, or at the bookmark of another process.
  private func start(with pager: Pager) {
    let pager = pager.resumed(from: bookmarks) ?? pager
    number = bookmarks.last?.page ?? 0
    pageCount = number
    switch pager.step {
    case .next(let request): upcoming = request
    case .end(let end): finish(end)
    case .fault: break
    }
    wants?.unwrapping.firstPageColumns = pager.columns
    self.pager = pager
  }

  func fetch(_ request: Request, _ wants: PageWants) async throws(NetworkingError) -> (Page, PageFacts) {
    let page = ahead.take(number, by: request)
    lookAhead()
    guard let page else { return try await job.fetcher.fetch(request, number: number, wants: wants) }
    return try await withTaskCancellationHandler {
      await page.value
    } onCancel: {
      page.cancel()
    }.get()
  }

  /// Starts as many requests for the following pages as the concurrency limit allows, after the first page.
  func lookAhead() {
    let isBegun = pageFacts != nil || !bookmarks.isEmpty
    guard job.concurrency > 1, let wants, isBegun, !isOver, !isStopped, !wants.unwrapping.waitsForNames else { return }
    ahead.fetch(after: number, wants, request: { pager?.request(ofPage: $0) }) { [weak self] in
      await self?.lookAhead()
    }
  }

  /// Waits until cancelled pages have ended, since they may have been counted although they were not sent.
  private func finish() async {
    for page in ahead.takeCancelled() { await page.value }
  }

  private func advance(after pageFacts: PageFacts) throws(NetworkingError) {
    guard var pager = pager.take() else { return }
    let step: Pager.Step
    do {
      step = try pager.next(after: pageFacts)
    } catch {
      self.pager = pager
      throw NetworkingError(error, hiding: job.fetcher.secrets)
    }
    if pageFacts.number == 2, trial != nil, let doubt = pager.doubtOfChoice(pageFacts) {
      self.pager = pager
      throw undecidable(pageFacts, doubt, ["pages: one"])
    }
    if record == nil, job.isAlone, let total = pager.announcedTotal { job.report.update { $0.total = total } }
    if let first, let evidence = job.plan.lostQuery(in: pageFacts, of: first) { raise(evidence) }
    if let overlap = pager.overlap { raise(overlap) }
    if let sign = job.plan.innerSign(in: pageFacts) { raise(sign) }
    if let sign = partialAnswer(pageFacts, step, pager) { raise(sign) }
    if pageFacts.body.columns != nil, wants?.unwrapping.firstPageColumns == nil {
      wants?.unwrapping.firstPageColumns = pager.columns
    }
    let saysMore = pageFacts.number == 1 && lookForMore(pageFacts, pager)
    if pageFacts.number == 1 { lookAtRecords(pageFacts) }
    if !pager.endsRepeated, let evidence = job.plan.cutList(in: pageFacts, saysMore: saysMore) {
      cutCount += pageFacts.body.cutCount
      raise(evidence)
    }
    if pageFacts.number > 1, let sign = job.plan.plainError(in: pageFacts) { raise(sign) }
    if pageFacts.number == 1 {
      wants?.unwrapping.watchedCount = 0
    }
    switch step {
    case .next(let request):
      upcoming = request
      job.fetcher.warnOfReplacedOrigin(request)
    case .end(let end):
      if case .complete = end, let doubt = pager.doubt { raise(doubt) }
      if pageFacts.number > 1, let sign = job.plan.signOfMore(in: pageFacts, pager) { raise(sign) }
      finish(end)
    case .fault(let error):
      fault = NetworkingError(error, hiding: job.fetcher.secrets)
      isOver = true
      ahead.cancel()
    }
    self.pager = pager
  }

  /// Looks for evidence in the first response that there is more than the job fetches.
  ///
  /// Returns true if the response says that there is more.
  private func lookForMore(_ pageFacts: PageFacts, _ pager: Pager) -> Bool {
    let doubt =
      job.plan.nearName(in: pageFacts) ?? job.plan.partOfMore(in: pageFacts)
    if let doubt {
      raise(Evidence(.way, doubt))
    } else if let sign = job.plan.plainError(in: pageFacts) ?? job.plan.envelope(in: pageFacts) {
      raise(sign)
    } else if isUndecided {
      return false
    } else if let sign = job.plan.signOfMore(in: pageFacts, pager) {
      raise(sign)
      return true
    } else if let doubt = job.plan.roundNumber(pageFacts, pager) {
      job.advise(doubt, about: "round")
    }
    return false
  }

  /// Warns, once a job, if the first page's records don't look like those of a list.
  private func lookAtRecords(_ pageFacts: PageFacts) {
    if let doubt = job.plan.doubtOfRecords(in: pageFacts) { job.advise(doubt, about: "records") }
  }

  /// Returns evidence if the response says that it is not whole, unless it has only an error, which is evidence itself.
  private func partialAnswer(_ pageFacts: PageFacts, _ step: Pager.Step, _ pager: Pager) -> Evidence? {
    let isLast = if case .end = step { true } else { false }
    let request = isLast && pager.recordCount == 0 ? first : nil
    guard let evidence = job.plan.partialAnswer(pageFacts, afterNothing: request) else { return nil }
    return (pageFacts.number == 1 || isLast) && pageFacts.body.recordCount == 0
      && job.plan.plainError(in: pageFacts) != nil ? nil : evidence
  }

  /// URL of the first request, without the job's own secrets.
  var firstURL: String { first?.url.redacted ?? "" }

  private func finish(_ end: Pager.End) {
    switch end {
    case .single, .complete: break
    case .capped(let limit):
      cap = limit
      if !splits { tellCap() }
    case .short(let reason): raise(Evidence(.total, reason))
    }
    cancel()
  }

  /// Cancels all pages fetched ahead, and returns when no page is in progress.
  ///
  /// If a page arrives now, it is the last one.
  func stop() async {
    isStopped = true
    cancel()
    await finish()
  }

  private func cancel() {
    isOver = true
    ahead.cancel()
    upcoming = nil
    fault = nil
  }
}
