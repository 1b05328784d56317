package import Diagnostics
package import JSONText

/// One job: a single fetch, or one for each input record.
///
/// A job without a fetch passes its input records on, with members set.
package struct Job: Sendable {
  /// Name for messages: the job's `name`, else the file's name, or `FILE#2` for unnamed steps.
  package var name: String
  /// Position of the job in the spec.
  package var position: SourcePosition

  /// Positions of the values of the job's keys, its defaults included, by key.
  package var keyPositions: [KeyPosition] = []

  package struct KeyPosition: Sendable {
    let key: String
    let position: SourcePosition
  }

  package var base: Template?
  /// Nil for a job that makes no request.
  package var endpoint: Template?
  /// Upper case; nil for the default (GET, or POST if there is a body).
  package var method: String?
  package var query: [QueryItem] = []
  /// Headers of the file and the job, merged without regard to case.
  ///
  /// Headers that `null` removes are in `removedHeaders` only.
  package var headers: [Header] = []
  /// Lower case names of default headers that `null` removes (`accept`, `user-agent`).
  package var removedHeaders: Set<String> = []
  package var body: TemplateValue?
  /// Items of a body that is urlencoded, in place of `body`.
  package var form: [QueryItem]?
  /// Body that is sent as it stands, in place of `body`.
  package var text: Template?
  package var each: Each?
  /// The `each` of the run before, if this run starts at the job (`--from`).
  package var eachBefore: Each?
  /// False for a job of another stream, which is run for its records only.
  package var savesMark = true
  /// True if the job has a mark that is saved.
  package var hasOwnMark: Bool { incremental != nil && savesMark }
  /// Format of a body.
  package var read = BodyFormat.json
  /// The decompression of bodies that are files; nil for bodies as they come.
  package var unpack: Unpack?
  /// Path of the column names, for records that are arrays.
  package var columns: JSONPath?
  /// The column names themselves, if no answer has them.
  package var columnNames: [String]?
  /// Path of the content; nil is the body itself.
  package var contentIdentifier: ContentIdentifier?
  /// Answers that mean that there are no records.
  package var empty: Empty?
  /// Members that take the names of each entry, if a `*` of the content goes over a map: one for the last `*`, or one for
  /// each.
  package var keyNames: [String] = []
  /// Finds an error inside a successful response.
  package var failure: Condition?
  /// Holds for the input records for which a request is made.
  package var when: Condition?
  /// Repeats the request until the server is done.
  package var poll: Poll?
  /// `where`: holds for the records that are kept.
  package var filter: Condition?
  /// Templates of `where` that read the input record; its condition names them by their numbers.
  package var filterTemplates: [Template] = []
  /// Paths of the members that are taken off the records.
  package var drop: [JSONPath] = []
  /// Paths of the members that together identify a record.
  package var uniqueMembers: [JSONPath] = []
  /// Holds for a record that no longer exists: `--merge` removes it.
  package var deleted: Condition?
  /// Paths of the members that are kept; none for all.
  package var keep: [JSONPath] = []
  /// Paths of the objects whose members stand one level up.
  package var flatten: [JSONPath] = []
  /// Members that get another name.
  package var rename: [Rename] = []
  package var model: Model?
  package var decode: Decode = Decode()
  package var pages: Pages?
  /// The user's own limit of pages.
  package var maxPages: Int?
  /// Fewer records make the run `short`.
  package var least: Int?
  /// Kinds of evidence that are meant, so that they do not make the run `short`.
  package var ignored: Set<Sign> = []
  package var attach: Attach?
  /// Pairs of a fetched member and an input member that must be equal.
  package var match: [MatchPair] = []
  /// Highest number of input records of one request, which `${inputs}` reads; nil for one request each.
  package var batch: Int?
  /// Member that takes the number of matching records.
  package var count: String?
  package var set: [TemplateValue.Member] = []
  /// Path of saved files; `endpoint` is then their URL.
  package var download: Download?
  /// True for a step after another one, whose records it reads, whether its templates name them or not.
  package var isLater = false
  package var incremental: Incremental?
  /// Marks that `${since}` reads; nil if no job of the file has `incremental`, or several others have.
  package var since: Since?
  package var concurrency: Int = 1
  package var onError: OnError = .stop
  package var timeout: Duration = .seconds(30)
  package var hosts: [Host] = []
  package var bodyLimit: Int = 4_000_000_000
  package var retry = Retry()
  /// True if the job itself has `retry`; then requests with any method are retried.
  package var ownsRetry = false
  package var rate: Rate?
  /// Templates in place of constants, whose values the job has once a run is planned.
  package var fixed: [FixedTemplate] = []
  package var auth: Auth?
  package var tls: TLS?

  /// Names of the members that together identify an output record; empty if no such members are known.
  ///
  /// With `attach` or `count`, `unique` is about the fetched records, which are parts of the output.
  package var keyMembers: [String] {
    guard attach == nil, count == nil, uniqueMembers.allSatisfy({ $0.steps.count == 1 }) else { return [] }
    return uniqueMembers.map(\.steps[0].name)
  }

  package init(name: String, position: SourcePosition, endpoint: Template? = nil) {
    self.name = name
    self.position = position
    self.endpoint = endpoint
  }

  package struct QueryItem: Hashable, Sendable {
    package let name: String
    /// One value, or several for a list, which repeats the item; `null` values are left out.
    package let values: [TemplateValue]
    package init(name: String, values: [TemplateValue]) {
      self.name = name
      self.values = values
    }
  }

  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: Template
    package init(name: String, value: Template) {
      self.name = name
      self.value = value
    }
  }

  /// `hosts: [files.example.com, "http://h:8080"]`.
  package struct Host: Hashable, Sendable {
    package let scheme: String
    package let host: String
    package let port: Int
    package init(scheme: String, host: String, port: Int) {
      self.scheme = scheme
      self.host = host
      self.port = port
    }
  }

  /// `download`: a file for each record.
  package struct Download: Hashable, Sendable {
    /// Who names a file whose path ends with `/`: its URL, or the server (`Content-Disposition`).
    package enum Naming: String, CaseIterable, Sendable { case url, server }

    /// Path below the download directory; with a `/` at the end, the file gets a name as `naming` says.
    package let path: Template
    package var naming: Naming = .url
    /// Size of the file in bytes: a file that is there with this size is not requested.
    package var size: Template?

    /// The templates beside the URL.
    package var templates: [Template] { [path] + [size].compactMap { $0 } }
  }

  /// `unpack`: a body is a gzip file (`gzip`), or may be one (`auto`).
  package enum Unpack: String, CaseIterable, Sendable { case gzip, zip, auto }

  /// `rename`: a member and its new name.
  package struct Rename: Hashable, Sendable {
    package let path: JSONPath
    package let name: String
  }

  package enum OnError: String, CaseIterable, Sendable { case stop, skip, empty }

  /// Member for a value that is no object, in records made with `key`.
  package static let valueMember = "value"

  /// `empty`: answers that mean that there are no records.
  package struct Empty: Hashable, Sendable {
    /// True if an answer without the content's key has none.
    package var isMissing = false
    /// Conditions on the answer, one of which must hold.
    package var alternatives: [[Condition.Clause]] = []

    /// Nil if no condition on the answer is given.
    package var condition: Condition? { alternatives.isEmpty ? nil : Condition(anyOf: alternatives) }

    /// True if a condition reads more of an answer than its status.
    package var readsAnswer: Bool { alternatives.contains { !$0.allSatisfy(\.isAboutStatus) } }
  }

  package enum Attach: Hashable, Sendable {
    case list(String)
    case one(String)
    package var name: String {
      switch self {
      case .list(let name), .one(let name): name
      }
    }
  }

  package struct MatchPair: Hashable, Sendable {
    package let fetched: JSONPath
    package let input: JSONPath
    package init(fetched: JSONPath, input: JSONPath) {
      self.fetched = fetched
      self.input = input
    }
  }
}

// Settings of a spec about sending requests.

extension Job {
  /// `retry`: nil values take the defaults of `Fetching`.
  package struct Retry: Hashable, Sendable {
    /// Statuses that are retried: the default of `RetryPolicy`.
    package static let standardStatuses = [408, 425, 429, 500, 502, 503, 504, 522, 524]

    package var attempts: Int?
    /// Further statuses that are retried, whatever else the answer says.
    package var statuses: [Int] = []
    /// Holds for an answer that says "later".
    package var condition: Condition?
    package var wait: Duration?
    package var within: Duration?
    package init() {}

    /// Takes the value of `when`: statuses alone, and conditions that read more of an answer.
    mutating func read(_ when: Condition?) {
      guard let when else { return }
      let (plain, others) = when.alternatives.reduce(into: ([Int](), [[Condition.Clause]]())) { result, clauses in
        if clauses.count == 1, clauses[0].isAboutStatus, !clauses[0].statuses.isEmpty {
          result.0 += clauses[0].statuses
        } else {
          result.1.append(clauses)
        }
      }
      statuses = plain
      condition = others.isEmpty ? nil : Condition(anyOf: others)
    }
  }

  /// `rate: 5/s`, the limit of an origin.
  package struct Rate: Hashable, Sendable {
    /// Time from one request to the next.
    package let interval: Duration

    /// Returns the lower of two rates.
    package func strictest(with other: Rate?) -> Rate {
      Rate(interval: max(interval, other?.interval ?? interval))
    }
  }
}

extension Job {
  /// `tls`: the files with which connections to the job's own origin are made.
  package struct TLS: Hashable, Sendable {
    /// Certificates of the client, in PEM.
    package var certificate: Template?
    /// Private key of the certificate; nil if it is in the same file.
    package var key: Template?
    /// Certificates of the authorities that are trusted.
    package var ca: Template?
    package let position: SourcePosition
    /// URL of the origin that the files are for.
    ///
    /// It is the file's `base` for a `tls` beside `steps`, and nil for the job's own endpoint.
    package var base: Template?

    package var templates: [Template] { [certificate, key, ca].compactMap { $0 } }
  }
}

extension Condition.Clause {
  /// True if the clause tests the HTTP status of an answer.
  package var isAboutStatus: Bool { path.steps.map(\.name) == ["status"] }

  /// The statuses that the clause accepts, as far as it lists them.
  package var statuses: [Int] {
    tests.flatMap { test -> [Int] in
      if case .among(let values) = test { values.compactMap(\.integer) } else { [] }
    }
  }
}

extension Condition {
  /// True if the value of a bare path may well be missing.
  package var isOptional: Bool { alternatives.allSatisfy { $0.allSatisfy(\.isOptional) } }

  /// Returns whether the condition holds for an answer.
  ///
  /// An alternative is asked of answers with a status of success; of others only if it names the status.
  ///
  /// - Parameter values: returns the values at a path, which begins with a root.
  package func holds(forStatus status: Int, _ values: (JSONPath) -> [JSONValue]) -> Bool {
    alternatives.contains { clauses in
      ((200...299).contains(status) || clauses.contains(where: \.isAboutStatus))
        && clauses.allSatisfy { $0.holds(values($0.path)) }
    }
  }

  /// The alternatives about lines (`record.…`), as a condition on a record; nil without one.
  package var ofRecords: Condition? {
    let found = alternatives.filter { $0.contains { $0.path.steps.first?.name == "record" } }.map { clauses in
      clauses.map { Clause(path: JSONPath(Array($0.path.steps.dropFirst())), tests: $0.tests) }
    }
    return found.isEmpty ? nil : Condition(anyOf: found)
  }

  /// Paths in the body that must be captured: up to the first `*`.
  package var bodyPaths: [JSONPath] { captured(below: "body") }

  /// Paths in the last record that must be captured.
  package var lastPaths: [JSONPath] { captured(below: "last") }

  private func captured(below root: String) -> [JSONPath] {
    paths.filter { $0.steps.first?.name == root }.map { path in
      JSONPath(Array(path.steps.dropFirst().prefix { !$0.isEvery }))
    }
  }
}

extension Job {
  /// Conditions on the answers of the job.
  package var answerConditions: [Condition] {
    [
      failure, empty?.condition, retry.condition, poll?.until, poll?.failure, auth?.refused, incremental?.expired,
    ].compactMap { $0 }
      + (pages?.conditions ?? [])
  }
}

// MARK: Where the content is in a body: one path, or those of several lists

/// The path of the content, or several paths that differ in one name; a value may be a piece of a name.
package struct ContentIdentifier: Hashable, Sendable {
  package struct Path: Hashable, Sendable {
    package let template: Template
    /// True if an answer without the content has no records (`data.items?`).
    package let isOptional: Bool

    package init(_ template: Template, isOptional: Bool = false) {
      (self.template, self.isOptional) = (template, isOptional)
    }
  }

  package let paths: [Path]

  package init(_ paths: [Path]) {
    self.paths = paths
  }

  package var templates: [Template] { paths.map(\.template) }

  /// True if an answer without any of the content has no records.
  package var isOptional: Bool { paths.allSatisfy(\.isOptional) }

  /// The path with a NUL for each value; nil if it is not a path.
  package var contentShape: JSONPath? {
    let shapes = paths.compactMap { path in path.template.contentShape.map { ($0, path.isOptional) } }
    guard shapes.count == paths.count else { return nil }
    return shapes.count == 1 ? shapes[0].0 : JSONPath(anyOf: shapes)
  }
}

// MARK: Evidence that records are missing

/// The kinds of evidence that a run's records are not the whole set, or not the right one.
///
/// Each kind makes a run `short`. A job's `ignore` names the kinds that are meant there.
package enum Sign: String, CaseIterable, Sendable {
  /// A response says that further pages follow, which the job does not request.
  case more
  /// The server's own total was not reached.
  case total
  /// A page is as full as the request allows, and nothing says that it is the last.
  case full
  /// A response says that it is not whole.
  case partial
  /// A list inside a record was cut.
  case nested
  /// Pages came more than once.
  case repeats
  /// The list moved while its pages were fetched.
  case moved
  /// Pages overlap.
  case overlap
  /// The value that leads to the next page is missing.
  case way
  /// An error stands in place of the records, or beside them.
  case error
  /// Every request was answered by a status that means "nothing".
  case nothing
  /// A condition names a member that no record has.
  case filter
  /// A next page is at another origin.
  case origin
  /// Fewer records came than `least` says.
  case least

  /// The kinds that `ignore` takes; `least` is the author's own figure.
  package static let ignorable = allCases.filter { $0 != .least }

  /// True if the evidence may differ from one input record to the next; otherwise it is the spec's.
  package var isOfData: Bool {
    switch self {
    case .total, .partial, .repeats, .moved, .overlap, .error: true
    case .more, .full, .nested, .way, .nothing, .filter, .origin, .least: false
    }
  }

  /// True if the evidence is only about records after those that came.
  ///
  /// It says nothing about a run that ended earlier, by a limit of the user.
  package var isAboutRest: Bool {
    switch self {
    case .more, .total, .full, .way, .origin, .least: true
    case .partial, .nested, .repeats, .moved, .overlap, .error, .nothing, .filter: false
    }
  }
}
