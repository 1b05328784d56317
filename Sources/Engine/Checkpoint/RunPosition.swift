// A run's position as one small value, for callers that keep their state themselves.

import FetchPlan
package import JSONText
import Primitives
import Synchronization
import Wire

/// A moment of a run, from which another process can resume the run.
///
/// The form is `{"format":1,"start":…,"of":{…},"records":…,"stages":[…],"facts":{…},"marks":{…}}`. It has no records of
/// the run. Of the requests that must not be repeated, it has only those of the last page, so a circle shows one round
/// later.
package struct RunPosition: Sendable {
  /// The settings of a caller that keeps positions.
  package struct Request: Sendable {
    /// The position to resume; nil for a run that begins.
    var resumed: JSONValue?
    /// Members that the caller leaves out of the records.
    var leftOut: Set<String> = []

    package init(resumed: JSONValue? = nil, leftOut: Set<String> = []) {
      (self.resumed, self.leftOut) = (resumed, leftOut)
    }
  }

  /// The error of a run that differs from the run of the position.
  package struct Mismatch: Error {
    package let differences: [String]
  }

  private static let format = 4
  /// Longest position that is written: a cursor may have any length.
  private static let sizeLimit = 64 << 10
  /// Members of a journal's header that must not have changed, and their words in messages.
  private static let compared: [(name: String, words: String)] = [
    ("specs", "the spec"), ("parameters", "the parameters"), ("options", "the options"),
    ("variables", "the variables"), ("since", "the marks in 'bookmarks'"),
  ]

  let json: JSONValue
  /// Start of the run in Unix seconds.
  let start: Int
  /// Progress of the stages, as `StageProgress` writes it.
  let stages: [JSONValue]

  /// Parses a position; nil if the value is none of this version.
  init?(_ json: JSONValue) {
    guard json["format"]?.integer == Self.format, Self.hasSmallCounts(json), let start = json["start"]?.integer,
      let stages = json["stages"]
    else {
      return nil
    }
    (self.json, self.start, self.stages) = (json, start, Array(stages.elements))
    for stage in self.stages {
      var checkpoint = StageCheckpoint()
      checkpoint.apply(stage)
      guard stage["stage"]?.integer != nil, checkpoint.pagerBookmarks != nil else { return nil }
    }
  }

  /// Members whose numbers are no counts: hashes, the pager's item, and what the server sent.
  private static let uncounted: Set = [
    "hash", "underWay", "firstHash", "lastRecord", "visited", "of", "marks", "item", "itemBefore", "cursor", "columns",
    "totalPages", "totalRecords", "mostPages", "mostRecords", "announced", "left",
  ]

  /// Reports that no count of the value is so high, or below 0, that another page could not be added.
  private static func hasSmallCounts(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .number: value.integer.map { (0..<1 << 53).contains($0) } ?? true
    case .object: value.members.allSatisfy { uncounted.contains($0.name) || hasSmallCounts($0.value) }
    case .array: value.elements.allSatisfy(hasSmallCounts)
    case .string, .boolean, .null: true
    }
  }

  /// Returns the position of a run; nil if it would hold a secret, or is too long.
  ///
  /// - Parameters:
  ///   - identity: identity of the run, from `identity(of:_:)`.
  ///   - counters: counters of the run at that moment.
  static func json(
    start: Int, identity: JSONValue, _ stages: [StageProgress], _ counters: RunCounters,
    marks: [(name: String, value: JSONValue)], hiding secrets: SecretStore
  ) -> JSONValue? {
    let json = MemberWriter.object { members in
      members.add("format", format)
      members.add("start", start)
      members.add("of", identity)
      members.add("records", counters.records)
      members.add("stages", count: stages.count) { stages[$0].write(to: &$1) }
      members.add("facts") { counters.write(to: &$0) }
      if !marks.isEmpty { members.add("marks", JSONValue(members: marks)) }
    }
    let text = json.text
    return text.utf8.count <= sizeLimit && secrets.redacting(text) == text ? json : nil
  }

  /// Returns hashes of everything that determines a run's output, without the parameters and marks themselves.
  static func identity(of header: JournalHeader, _ request: Request) -> JSONValue {
    var members = compared.map { member in
      (name: member.name, value: JSONValue(Array((header.json[member.name] ?? .null).bytes).fingerprint))
    }
    members.append(("selection", JSONValue(Array(request.leftOut.sorted().joined(separator: "\n").utf8).fingerprint)))
    return JSONValue(members: members)
  }

  /// Returns the differences between the run of the position and another one, in words.
  func differences(from identity: JSONValue) -> [String] {
    (Self.compared + [("selection", "the selected members")]).compactMap { member in
      json["of"]?[member.name] == identity[member.name] ? nil : member.words
    }
  }
}

/// Finds the moments at which all stages of a run can be resumed, without the records between the stages.
///
/// Such a moment is the end of a page, or of an input record. For a stage that reads another stage's records, it is the
/// moment at which the stage has finished all records of a page. Then the other stage can be resumed after the page.
final class PositionTracker: ProgressLog, Sendable {
  /// The end of a page of a stage's input, and the progress of the previous stages there.
  private struct Boundary {
    /// Number of the stage's input records so far.
    let end: Int
    /// Nil if the previous stages can't be resumed there.
    let progress: [StageProgress]?
  }

  /// Boundaries that each stage has not reached, oldest first.
  private let boundaries = Locked<[Int: [Boundary]]>([:])
  private let run = Locked<JSONValue?>(nil)

  /// Identity of the run, for its positions; nil before the run begins.
  var identity: JSONValue? { run.withLock { $0 } }

  func begin(as identity: JSONValue) { run.withLock { $0 = identity } }

  /// Forgets what the stages so far have said, for a run that begins anew.
  func forget() { boundaries.withLock { $0 = [:] } }

  let keepsEachBookmark = false
  let wayToStartOver = "run again with the last STATE"

  /// Returns true: the records themselves are not needed.
  func keep(_ lines: [UInt8], for stage: Int) -> Bool { true }

  func endPage(from start: Int, count: Int, for stage: Int, _ progress: [StageProgress], _ counters: RunCounters)
    -> Bool
  {
    boundaries.withLock { boundaries in
      let before = Self.joined(progress, &boundaries)
      boundaries[stage, default: []].append(Boundary(end: start + count, progress: before))
    }
    return true
  }

  /// Does nothing: a run with downloads has no position.
  func appendSavedPath(_ hash: Int, stage: Int, record: Int) {}

  /// Returns the progress of all stages after a batch; nil if they can't be resumed there.
  ///
  /// Must be called once for each batch, in order.
  func progress(after batch: Batch) -> [StageProgress]? {
    guard !batch.progress.isEmpty else { return nil }
    return boundaries.withLock { Self.joined(batch.progress, &$0) }
  }

  /// Returns the progress of some stages with that of the stages before them.
  private static func joined(_ progress: [StageProgress], _ boundaries: inout [Int: [Boundary]]) -> [StageProgress]? {
    var joined: [StageProgress]? = []
    for stage in progress {
      if let waiting = boundaries[stage.stage] {
        let reached = waiting.prefix { $0.end <= stage.done }
        boundaries[stage.stage] = Array(waiting.dropFirst(reached.count))
        // Otherwise the records of the unfinished input page would have to be kept.
        let isAtEnd = stage.bookmark == nil && reached.last?.end == stage.done
        joined = isAtEnd ? joined.flatMap { known in reached.last?.progress.map { known + $0 } } : nil
      }
      joined?.append(stage)
    }
    return joined
  }
}
