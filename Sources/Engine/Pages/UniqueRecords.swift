// `unique`: records that come again on another page of a stream are left out, or show that the list moved.

import Diagnostics
import FetchPlan
import Files
import JSONText
import PipelineSpec
import Wire

/// Leaves out the records that came before on another page, byte for byte.
struct UniqueRecords: Sendable {
  private let job: JobContext
  private var seen: SeenRecords
  /// True for the records of a stream's pages, false for those of windows, or of parts of one.
  private let isOfPages: Bool
  /// True for the pages of a part of a window, which may still be halved: its evidence is held.
  private let isOfPart: Bool
  /// Evidence that counts once the part is whole.
  private(set) var held: [Evidence] = []
  private var hasMoved = false
  /// Number of records that were left out.
  private var leftOut = 0

  /// - Parameters:
  ///   - paths: paths of the values that together identify a record.
  ///   - keepsKeys: whether batches have the keys of their records.
  private init(
    _ job: JobContext, paths: [JSONPath], isOfPages: Bool, isOfPart: Bool = false, keepsKeys: Bool = false
  ) {
    self.job = job
    (self.isOfPages, self.isOfPart) = (isOfPages, isOfPart)
    seen = SeenRecords(paths: paths, keepsReturned: job.wantsLast, wantsAdded: keepsKeys)
  }

  /// Compares the pages of one stream; nil if the job has no `unique`, or one page.
  static func ofPages(_ job: JobContext, isOfPart: Bool = false) -> UniqueRecords? {
    let paths = job.plan.job.uniqueMembers
    guard !paths.isEmpty, let kind = job.plan.job.pages?.kind, kind != .single else { return nil }
    // A part is whole, or begins anew: only what the parts before it gave is needed by another process.
    return UniqueRecords(
      job, paths: paths, isOfPages: true, isOfPart: isOfPart, keepsKeys: job.keepsKeys && !isOfPart)
  }

  /// Compares the parts of a window that is halved, whose borders may have one record twice; nil without `split`.
  static func ofParts(_ job: JobContext) -> UniqueRecords? {
    let paths = job.plan.job.uniqueMembers
    guard !paths.isEmpty, job.plan.job.each?.split != nil else { return nil }
    return UniqueRecords(job, paths: paths, isOfPages: false, keepsKeys: job.keepsKeys)
  }

  /// True if the pages are counted, so that a record that comes again proves that the list moved.
  private var isNumbered: Bool {
    guard let kind = (job.autoPager?.choice?.plan ?? job.plan).job.pages?.kind else { return false }
    return switch kind {
    case .number, .offset: true
    case .single, .auto, .cursor, .next, .link: false
    }
  }

  /// Compares the windows of `each`, whose borders may have one record twice; nil if the job has none.
  static func ofWindows(_ job: JobContext) -> UniqueRecords? {
    let paths = job.plan.job.uniqueMembers
    guard !paths.isEmpty, job.plan.job.attach == nil, job.plan.job.match.isEmpty,
      job.plan.job.each?.axes.contains(where: \.hasWindows) == true
    else { return nil }
    return UniqueRecords(job, paths: paths, isOfPages: false, keepsKeys: job.keepsWindowKeys)
  }

  /// Remembers records that another process has written.
  mutating func remember(_ lines: [UInt8], group: UInt64 = 0) { seen.remember(lines, group: group) }

  /// Remembers records of another process by their hashes.
  mutating func remember(_ hashes: [UInt64]) { seen.remember(hashes) }

  /// Remembers how many records of a stream another process left out.
  mutating func remember(leftOut count: Int) { leftOut = count }

  /// Reports that records are missing if the server's total came only with records that came twice.
  mutating func end(reaching total: Int?, of input: FetchedInput?) {
    guard let total, leftOut > 0, !hasMoved else { return }
    hasMoved = true
    raise(
      Evidence(
        .moved,
        "\(total.counted("record")) came, as many as the server has, but \(leftOut) of them came twice: others are missing; let the "
          + "server order the list by a member that is unique"),
      of: input)
  }

  /// Returns the batch without the records that came before.
  ///
  /// - Parameters:
  ///   - page: number of the records' page, or of their window.
  ///   - input: the input record of the stream.
  ///   - url: URL of the page.
  ///   - group: distinguishes records of other input records.
  mutating func distinct(
    _ batch: Batch, page: Int, of input: FetchedInput? = nil, at url: Redactable? = nil,
    group: UInt64 = 0
  ) -> Batch {
    guard !batch.lines.isEmpty else { return batch }
    let wasBounded = seen.isBounded
    let finding = seen.add(batch.lines, page: page, group: group)
    if seen.isBounded, !wasBounded { job.report.count { $0.isUniqueBounded = true } }
    var batch = batch
    batch.keys += finding.added
    guard !finding.repeats.isEmpty || finding.changedCount > 0 else { return batch }
    // A link or a URL may have a page number in it, or an offset: then it leads past what moved, as they do.
    let showsMoves = isOfPages && (isNumbered || url.map(RequestedPage.isByPosition) == true)
    if !hasMoved, let first = finding.firstRepeat, showsMoves {
      hasMoved = true
      raise(Evidence(.moved, moved(batch.lines[first], page: page)), of: input)
    }
    if !hasMoved, finding.changedCount > 0, showsMoves {
      hasMoved = true
      raise(Evidence(.moved, changed(finding.changedCount, page: page)), of: input)
    }
    leftOut += finding.repeats.count
    batch.leaveOut(finding.repeats)
    batch.changed += finding.changedCount
    return batch
  }

  private mutating func raise(_ evidence: Evidence, of input: FetchedInput?) {
    if isOfPart { held.append(evidence) } else { job.raise(evidence, of: input) }
  }

  /// A record that changed may have moved to the front, and others to an earlier page, past which a mark would go.
  private func changed(_ count: Int, page: Int) -> String {
    let records =
      "\(count.counted("record")) of page \(page) came on an earlier page with other content, and others may be missing"
    return job.plan.job.since == nil
      ? "the list moved while its pages were fetched, or 'unique' does not identify a record: \(records); \(Self.remedy)"
      : "the list moved while its pages were fetched: \(records); page by a cursor, if the API has one (a link with a page number in "
        + "it is none): a filter by the mark is a cursor, with 'from: last.MARK' and 'until: repeated'; or order the list from the "
        + "newest to the oldest"
  }

  private static let remedy =
    "fetch again; if it happens often, let the server order the list by a member that is unique, or page by a cursor, if the API has one"

  private func moved(_ line: ArraySlice<UInt8>, page: Int) -> String {
    let record = JSONValue(validated: line.dropLast())
    let names = job.plan.job.uniqueMembers
    let key = names.map { "\($0): \((record[$0] ?? .null).text.prefix(60))" }.joined(separator: ", ")
    return
      "the list moved while its pages were fetched: the record with \(key) on page \(page) came on an earlier page as "
      + "well, and others may be missing; \(Self.remedy)"
  }
}

extension JobContext {
  /// True if a resumed run must know the records that a stream has given.
  var comparesRecords: Bool { UniqueRecords.ofPages(self) != nil || UniqueRecords.ofParts(self) != nil }

  /// True if the journal keeps the keys of all windows, since no file has their records, or says which group they are of.
  var keepsWindowKeys: Bool {
    let isOfOneGroup = stage == 0 && plan.job.each?.axes.allSatisfy(\.hasWindows) == true
    return keepsKeys || !isOfOneGroup && progressLog?.keepsEachBookmark == true
  }

  /// Hash of the members of an input record that no window of `each` gives, by which records of other groups differ.
  func windowGroup(of record: JSONValue?) -> UInt64 {
    let windows = Set(plan.job.each?.axes.filter(\.hasWindows).map(\.name) ?? [])
    let others = (record ?? .null).members.filter { !windows.contains($0.name) }
      .map { "\($0.name)\0\($0.value.text)\0" }
    return UInt64(bitPattern: Int64(Array(others.joined().utf8).fingerprint))
  }
}

/// The records that an interrupted run has written, for a job whose output they are.
struct WrittenRecords: Sendable {
  let outputPath: OutputPath
  /// Format of the partial file; nil if it has the lines as they are.
  let format: (any FileFormat)?
  let part: PartialFile.Known
  /// Number of these records.
  let count: Int
  let calls: SystemCalls

  /// Reads the last records, in pieces of whole lines.
  func readLast(_ wanted: Int, _ body: ([UInt8]) -> Void) throws(FileError) {
    try part.readLines(outputPath, as: format, after: max(0, count - wanted), calls: calls, body)
  }
}
