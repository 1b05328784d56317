// A doubt: a legal value that its author probably did not mean.

package import Diagnostics
import JSONText
import Primitives

/// One doubt, with the position of what it is about, if that is a key or a template.
package struct Doubt: Hashable, Sendable {
  package let message: String
  package let position: SourcePosition?
  /// Name of the job that it is about; nil for the whole file.
  package let job: String?

  init(_ message: String, at position: SourcePosition?, job: String? = nil) {
    (self.message, self.position, self.job) = (message, position, job)
  }

  /// The doubt in a message: `jobs.yaml:3:8: …`, or `JOB: …` without a position.
  package func text(in file: String) -> String {
    let origin = position.map { "\(file):\($0)" } ?? job
    return "\(origin.map { "\($0): " } ?? "")\(message)"
  }

  /// The doubt as an error: `jobs.yaml:3:8: error: …`.
  package func errorText(in file: String) -> String {
    let origin = position.map { "\(file):\($0)" } ?? file
    return "\(origin): error: \(message)"
  }
}

extension Job {
  /// Returns a doubt about one of the job's keys, or about a key inside it.
  func doubt(about key: String, _ message: String) -> Doubt {
    let homes = ["dates": "decode", "types": "decode", "keys": "decode", "mark": "incremental"]
    let key = homes[key] ?? key
    return Doubt(message, at: keyPositions.first { $0.key == key }?.position, job: name)
  }

  func doubts(about key: String, _ messages: [String]) -> [Doubt] { messages.map { doubt(about: key, $0) } }
}

extension Spec {
  /// All doubts about the jobs and the file, in the order of the file.
  package var allDoubts: [Doubt] {
    // Several jobs may have a default.
    var seen: Set<Doubt> = []
    let all = (jobs.flatMap { $0.doubts + $0.doubts(about: "each", $0.lossyWindows) } + doubts).filter { doubt in
      doubt.position == nil || seen.insert(Doubt(doubt.message, at: doubt.position)).inserted
    }
    let end = SourcePosition(line: .max, column: 0)
    return all.enumerated().sorted { ($0.element.position ?? end, $0.offset) < ($1.element.position ?? end, $1.offset) }
      .map(
        \.element)
  }
}

// MARK: Doubts about valid keys that may do something else than the author expects

extension Job {
  /// Doubts about the unit that the pager's item counts, judged by the item's name.
  var pagerDoubts: [String] {
    guard let item = pages?.kind.items.first, let name = item.lastName?.lowercased().filter(\.isLetter) else {
      return []
    }
    switch pages?.kind {
    case .number where Self.offsetNames.contains(name):
      return ["'number: \(item.spelling)' goes up by 1 a page; did you mean 'offset: \(item.spelling)'?"]
    case .offset where Self.pageNames.contains(name):
      return ["'offset: \(item.spelling)' goes up by the records of a page; did you mean 'number: \(item.spelling)'?"]
    case .number, .offset, .cursor, .next, .link, .single, .auto, nil: return []
    }
  }

  private static let offsetNames: Set = ["offset", "skip", "startat", "startindex", "skipcount", "resultoffset"]
  private static let pageNames: Set = ["page", "pagenumber", "pageno", "pagenum", "pageindex", "currentpage"]

  /// Doubts about paths in records that begin with a root.
  var memberDoubts: [Doubt] {
    var paths: [(key: String, path: JSONPath)] =
      (filter?.paths ?? []).map { ("where", $0) } + drop.map { ("drop", $0) } + keep.map { ("keep", $0) }
      + flatten.map { ("flatten", $0) } + rename.map { ("rename", $0.path) } + decode.paths
    if case .member(let path)? = incremental?.mark { paths.append(("mark", path)) }
    return indexDoubts + doubts(about: "where", nullDoubts)
      + paths.compactMap { key, path in
        guard path.steps.count > 1, let root = path.steps.first?.name, ["record", "body", "input"].contains(root) else {
          return nil
        }
        let rest = JSONPath(Array(path.steps.dropFirst()))
        return doubt(about: key, "'\(path)' in '\(key)' starts at the fetched record; did you mean '\(rest)'?")
      }
  }

  /// Doubts about `when` of `retry` beside `read`; a run prints them, too, since an answer that says "later" is a record.
  package var laterDoubts: [String] {
    guard read != .json, retry.condition != nil else { return [] }
    return ["'when' of 'retry' is looked at in errors only, since \(read.name) has nothing around its records"]
  }

  /// Doubts about numbers in `drop`, `decode` and their like, which lead through no list.
  private var indexDoubts: [Doubt] {
    (drop.map { ("drop", $0) } + keep.map { ("keep", $0) } + flatten.map { ("flatten", $0) }
      + rename.map { ("rename", $0.path) } + decode.paths).compactMap { key, path in
        guard path.steps.count > 1, let index = path.steps.first(where: \.isLikelyIndex)?.name else { return nil }
        return doubt(
          about: key,
          "'\(index)' in '\(path)' is a member's name: '\(key)' leads through objects, and never through a list")
      }
  }

  /// Doubts about comparing a value of CSV with `null`, which it never is.
  private var nullDoubts: [String] {
    guard case .csv = read else { return [] }
    return (filter?.alternatives ?? []).joined().filter { $0.tests.contains(where: \.namesNull) }.map {
      "'where' compares '\($0.path)' with null, and a value of CSV is a text: that of an empty field is '\"\"'"
    }
  }

  /// Doubts about one mark for all input records.
  var sharedMarkDoubts: [String] {
    guard let incremental, case .member = incremental.mark, incremental.by.isEmpty, each == nil, match.isEmpty,
      batch == nil,
      fetchTemplates.contains(where: \.readsInput)
    else { return [] }
    return [
      "the input records share one mark: of one that is new, records below the mark are missed; to give each its own, write "
        + "'by' in 'incremental', such as 'by: id'"
    ]
  }

  /// Doubts about a request that is the same for each input record, while `set` reads that record.
  ///
  /// The author may mean the fetched record.
  package var setDoubts: [String] {
    guard endpoint != nil, each == nil, match.isEmpty, attach == nil, batch == nil, download == nil, incremental == nil
    else {
      return []
    }
    guard !fetchTemplates.contains(where: \.readsInput),
      let hole = set.flatMap(\.value.templates).flatMap(\.holes).first(where: { $0.root == .input })
    else { return [] }
    return [
      "'\(hole.spelling)' in 'set' is of an input record, so that the step asks once for each line of its input, and the same "
        + "each time; what is fetched is 'record'"
    ]
  }

  /// Doubts about a request that is the same for each record of the step before, but is made for each.
  var sameDoubts: [String] {
    guard isLater, endpoint != nil, download == nil, match.isEmpty, attach == nil, !namesInput else {
      return []
    }
    return [
      "the request is made for each record of the step before, and is the same each time: name a member of the input record, "
        + "such as '${input.id}', unless that step has one record"
    ]
  }

  /// Doubts about a body that is one text.
  var bodyDoubts: [String] {
    guard case .string(let template)? = body, case .text(let text)? = template.pieces.first else { return [] }
    let start = text.drop { $0.isWhitespace }
    if start.hasPrefix("{") || start.hasPrefix("[") {
      return [
        "'body' is a text, and sent as one, in quotes; for JSON leave the quotes around it out, for anything else write 'text'"
      ]
    }
    let isForm =
      start.drop { $0 != "=" }.dropFirst().first.map { $0 != "=" } == true
      && start.prefix { $0 != "=" }.allSatisfy { $0.isLetter || $0.isNumber || "_-[]".contains($0) }
    return isForm ? ["'body' is a text, and sent as JSON, in quotes; for a form write 'form: { name: value }'"] : []
  }

  /// Doubts about spans of numbers without a value.
  var spanDoubts: [String] {
    (each?.axes ?? []).compactMap { axis in
      guard case .span(let span) = axis.values, let from = span.from.text.flatMap({ Int($0) }),
        let to = span.to.text.flatMap({ Int($0) }), from > to
      else { return nil }
      return "'from' of '\(axis.name)' in 'each' is after 'to': there is no value, and no request"
    }
  }
}

extension Spec {
  /// Doubts about the whole file; a sentence each.
  var doubts: [Doubt] {
    let holes = jobs.flatMap(\.templates).flatMap(\.holes)
    let read = Set(holes.filter { $0.root == .param }.compactMap { $0.path.steps.first?.name })
    var doubts = parameters.filter { !read.contains($0.name) }.map { parameter in
      Doubt(
        "no template reads the parameter '\(parameter.name)'; a query item is written "
          + "'query: { \(parameter.name): … }'",
        at: parameterPositions[parameter.name])
    }
    let first =
      streams.isEmpty ? jobs.prefix(1) : streams.filter { $0.source == nil }.flatMap { $0.jobs.prefix(1) }[...]
    doubts += first.flatMap { $0.doubts(about: "set", $0.setDoubts) }
    for job in jobs where !holes.contains(where: { $0.root == .since }) {
      guard let incremental = job.incremental, incremental.only == nil, job.pages?.until.contains(.known) != true else {
        continue
      }
      doubts.append(
        job.doubt(
          about: "incremental",
          "no template reads '${since}', so that each run of '\(job.name)' fetches everything again; send it, as in 'query', or "
            + "write 'only: new' in 'incremental'"))
    }
    return doubts + zoneDoubts + sharedRetryDoubts
  }

  /// Doubts about times without a zone that ask for what is new.
  private var zoneDoubts: [Doubt] {
    jobs.flatMap { job in
      job.templates.flatMap(\.holes).filter { hole in
        hole.root == .since && hole.form?.hasNoZone == true && job.since?.incremental.form?.hasNoZone != true
          && hole.shift == .none
      }.map { hole in
        Doubt(
          "'\(hole.spelling)' is a time without a zone: if the API reads it in another zone than its marks have, records "
            + "are missed; write '${since:milliseconds}' or a form with %z, or ask for more, as by '${since-14h:…}'",
          at: hole.position, job: job.name)
      }
    }
  }

  /// Doubts about a `retry` beside `steps`, for each step whose request is repeated only by a `retry` of its own.
  private var sharedRetryDoubts: [Doubt] {
    guard sharesRetry else { return [] }
    return jobs.filter { job in
      job.endpoint != nil && !job.ownsRetry && job.retry.attempts != 1 && !job.isRead
    }.map { job in
      job.doubt(
        about: "retry",
        "the 'retry' at the top does not repeat the \(job.sentMethod) of '\(job.name)': if it may be repeated, add 'retry' "
          + "to the step itself")
    }
  }
}

extension Condition.Test {
  fileprivate var namesNull: Bool {
    switch self {
    case .among(let values): values.contains(where: \.isNull)
    case .not(let tests): tests.contains(where: \.namesNull)
    case .above, .below, .has, .truthy, .given: false
    }
  }
}

extension JSONStep {
  /// True for a number that is no status, year or identifier, which objects may have as names.
  fileprivate var isLikelyIndex: Bool { index.map { $0 < 100 } ?? false }
}

extension Pages.PageItem {
  fileprivate var spelling: String {
    switch self {
    case .query(let name), .header(let name): name
    case .body(let path): path.description
    case .endpoint: "{ endpoint: page }"
    }
  }

  fileprivate var lastName: String? {
    switch self {
    case .query(let name), .header(let name): name
    case .body(let path): path.steps.last?.name
    case .endpoint: nil
    }
  }
}

extension TemplateValue {
  /// The text of a constant, or of a text without templates.
  fileprivate var text: String? {
    switch self {
    case .constant(_, let spelling): spelling
    case .string(let template): template.literal
    case .list, .map: nil
    }
  }
}
