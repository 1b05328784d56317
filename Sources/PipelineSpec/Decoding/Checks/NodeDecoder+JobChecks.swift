// Checks of a whole job: keys that need or exclude one another.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  /// Checks a decoded job, and settles values that depend on several keys.
  mutating func check(_ draft: inout JobDraft, isFirst: Bool) {
    draft.job.isLater = !isFirst
    checkRequest(&draft)
    // The others have a message of their own.
    let keys = draft.own["download"] == nil ? SpecKeys.job : SpecKeys.job.filter { $0.fits.contains(.files) }
    checkCompanions(keys, draft.ownInOrder, at: draft.range)
    checkBody(draft)
    checkDownload(draft)
    checkSet(draft)
    checkFilter(draft)
    checkContent(draft)
    checkDrop(draft)
    checkDecode(draft)
    checkRead(draft)
    checkColumns(draft)
    checkJoin(draft)
    checkBatch(draft)
    checkEach(draft, isFirst: isFirst)
    checkSplit(draft)
    checkInput(draft, isFirst: isFirst)
    checkWhen(draft)
    checkIncremental(draft)
    checkOnError(&draft)
    checkPageItems(draft)
    checkPageInEndpoint(&draft)
    checkLaterPages(draft)
    checkAuth(&draft)
    checkTLS(&draft)
    checkEnvironment(draft)
    let all = draft.inherited.merging(draft.own) { $1 }
    draft.job.keyPositions = all.sorted { $0.key < $1.key }.map { key, entry in
      Job.KeyPosition(key: key, position: source.position(at: entry.value.range.lowerBound))
    }
    draft.job.ownsRetry = draft.own["retry"] != nil
    if case .csv = draft.job.read {
      draft.job.filter = draft.job.filter?.readingTexts
      draft.job.deleted = draft.job.deleted?.readingTexts
    }
  }

  private mutating func checkRequest(_ draft: inout JobDraft) {
    guard draft.own["download"] == nil else { return }
    if let key = draft.own["endpoint"] {
      // An endpoint that could not be read has a diagnostic already.
      if let endpoint = draft.job.endpoint { check(endpoint, of: draft, key.value) }
    } else if suggested.isDisjoint(with: ["endpoint", "steps", "set"]) {
      completeWithoutEndpoint(&draft)
    }
  }

  private mutating func checkWhen(_ draft: JobDraft) {
    guard let key = draft.own["when"] else { return }
    if draft.own["download"] != nil {
      refuse("'when' with 'download'", at: key.keyRange, advice: "keep the records with 'where' in the step before")
    } else if !draft.job.match.isEmpty, draft.job.batch == nil {
      refuse("'when' with 'match'", at: key.keyRange, advice: "one request is made for all input records; leave it out")
    } else if draft.readsNothing {
      refuse(
        "'when' is about the input, and the step reads none", at: key.keyRange,
        advice: "'where' keeps fetched records")
    }
  }

  // MARK: Content

  private mutating func checkContent(_ draft: JobDraft) {
    let identifier = draft.own["contentIdentifier"]
    if draft.job.empty?.isMissing == true, draft.job.contentIdentifier == nil, draft.own["download"] == nil,
      let empty = draft.own["empty"]
    {
      let advice = "leave it out: without 'contentIdentifier', the body itself is the content, and always there"
      refuse("'missing' without 'contentIdentifier'", at: empty.value.range, advice: advice)
    }
    checkUnique(draft)
    checkDeleted(draft)
    guard let key = draft.own["key"] else { return }
    if draft.job.keyNames.contains(Job.valueMember) {
      let advice = "give another name: a scalar member becomes '{ NAME: …, value: … }'"
      refuse("'key: value'", at: key.value.range, advice: advice)
    }
    // An identifier that could not be read has a diagnostic already.
    guard identifier == nil || draft.job.contentIdentifier != nil else { return }
    let path = draft.job.contentIdentifier?.contentShape
    if path?.hasEvery != true {
      let advice =
        "'key' takes the names of a map's members: write a path with '*' over the map, such as 'rates.*', or a list of paths"
      refuse("'key' without a '*' in 'contentIdentifier'", at: key.keyRange, advice: advice)
    } else if let count = path?.steps.count(where: \.isEvery), draft.job.keyNames.count > 1,
      draft.job.keyNames.count != count
    {
      refuse(
        "\(draft.job.keyNames.count) names in 'key' for \(count) '*' in 'contentIdentifier'", at: key.value.range,
        advice: "write one for each '*', or a single name for the last")
    }
  }

  /// Checks that the records have the members of `unique`, as far as `drop` and `model` say it.
  private mutating func checkUnique(_ draft: JobDraft) {
    guard let unique = draft.own["unique"], draft.own["attach"] == nil, draft.own["count"] == nil else { return }
    let added = draft.job.set.map(\.name)
    for path in draft.job.uniqueMembers where !added.contains(path.firstName) {
      guard let remover = draft.job.remover(of: path) else { continue }
      refuse(
        "'unique' by '\(path.description.printable)', which '\(remover)' removes", at: unique.value.range,
        advice: remover.adviceOnRemoval)
    }
    guard let model = draft.job.model else { return }
    let names = model.members.map(\.name) + added
    for path in draft.job.uniqueMembers where !names.contains(path.firstName) {
      let name = path.firstName
      let near = suggestion(for: name, among: names).map { "did you mean '\($0.printable)'?" }
      refuse(
        "'unique' by '\(path.description.printable)', which 'model' leaves out", at: unique.value.range,
        advice: near ?? "add it to 'model'")
    }
  }

  /// Checks that `deleted` has a record to remove, and reads members that the records still have.
  private mutating func checkDeleted(_ draft: JobDraft) {
    guard let deleted = draft.own["deleted"] else { return }
    if draft.own["unique"] != nil, draft.own["attach"] != nil || draft.own["count"] != nil {
      let advice = "the records of this step are the input's: write it in the step that fetches them"
      refuse(
        "'deleted' with '\(draft.own["attach"] == nil ? "count" : "attach")'", at: deleted.keyRange, advice: advice)
    }
    let names = draft.job.model.map { model in model.members.map(\.name) + draft.job.set.map(\.name) }
    for path in draft.job.deleted?.paths ?? [] where !draft.job.set.map(\.name).contains(path.firstName) {
      let remover = draft.job.remover(of: path) ?? (names.map { $0.contains(path.firstName) ? nil : "model" } ?? nil)
      guard let remover else { continue }
      refuse(
        "'deleted' by '\(path.description.printable)', which '\(remover)' removes", at: deleted.value.range,
        advice: remover.adviceOnRemoval)
    }
  }

  /// Checks that `where` reads the input record only in a job that fetches for each of them.
  private mutating func checkFilter(_ draft: JobDraft) {
    guard let hole = draft.job.filterTemplates.flatMap(\.holes).first(where: { $0.root == .input }) else { return }
    let advice: String
    if draft.job.endpoint == nil {
      advice = "without 'endpoint' the record of 'where' is the input record: compare in the step that fetches"
    } else if draft.own["batch"] != nil {
      advice = "a request of 'batch' is for many input records; leave 'batch' out, or compare in a later step"
    } else if !draft.job.match.isEmpty {
      advice = "with 'match' a step fetches once, not once a record"
    } else {
      return
    }
    refuse(hole, advice: advice)
  }

  /// Checks that `set` of a job that fetches no records reads none.
  private mutating func checkSet(_ draft: JobDraft) {
    guard draft.job.endpoint == nil || draft.own["download"] != nil else { return }
    for hole in draft.job.set.flatMap(\.value.templates).flatMap(\.holes)
    where [.record, .body, .headers].contains(hole.root) {
      let what =
        draft.own["download"] == nil ? "without 'endpoint' nothing is fetched" : "'download' fetches no records"
      refuse(
        hole, advice: hole.root == .record ? "\(what): write '\(hole.ofInput)'" : "\(what), and there is no answer")
    }
  }

  // MARK: Joining

  private mutating func checkJoin(_ draft: JobDraft) {
    let keys = draft.own
    if let count = keys["count"], let name = draft.job.count, name == draft.job.attach?.name {
      refuse(
        "'attach' and 'count' use the same member", at: count.value.range, advice: "give each a name of its own")
    }
    guard let match = keys["match"] else { return }
    if let model = draft.job.model, keys["decode"] == nil {
      for pair in draft.job.match where !model.members.contains(where: { $0.name == pair.fetched.firstName }) {
        refuse(
          "'match' by '\(pair.fetched.description.printable)', which 'model' leaves out", at: match.keyRange,
          advice: "add it to 'model', or nothing matches")
      }
    }
    for pair in draft.job.match {
      guard let remover = draft.job.remover(of: pair.fetched) else { continue }
      refuse(
        "'match' by '\(pair.fetched.description.printable)', which '\(remover)' removes", at: match.keyRange,
        advice: remover.adviceOnRemoval
          + ", or nothing matches")
    }
    guard keys["batch"] == nil else { return }
    for hole in draft.job.fetchTemplates.flatMap(\.holes) where hole.root == .input {
      let advice = "with 'match' a step fetches once, not once a record"
      refuse(hole, advice: advice)
    }
    checkJoinedSet(draft)
  }

  /// Refuses `input` in `set` of a job whose records are fetched for several input records.
  mutating func checkJoinedSet(_ draft: JobDraft) {
    for member in draft.job.set {
      for hole in member.value.templates.flatMap(\.holes) where hole.root == .input {
        var value = "…"
        if case .string(let template) = member.value { value = template.spelling.printable }
        refuse(
          hole,
          advice:
            "'set' is about the fetched records, which are of no one input record; the joined record is the next step's: "
            + "'- set: { \(member.name.printable): \"\(value)\" }'")
      }
    }
  }

  // MARK: Input records

  private mutating func checkEach(_ draft: JobDraft, isFirst: Bool) {
    guard let key = draft.own["each"] else { return }
    checkWindows(draft.job)
    guard isFirst, let axes = draft.job.each?.axes.map(\.name) else { return }
    let made = draft.job.eachTemplates.flatMap(\.holes)
    for hole in made where hole.root == .input {
      let advice = "'each' makes the records; it can read 'param', 'env', 'since', 'now', 'today' and 'epoch'"
      refuse(hole, advice: advice)
    }
    if draft.readsNothing {
      let member = draft.job.each?.axes.first?.isWindow == true ? ".start" : ""
      let advice = "name one in a template: '${input.\(axes[0].printable)\(member)}'"
      refuse("nothing reads the records of 'each'", at: key.keyRange, advice: advice)
    }
    let names = Set(axes)
    for hole in draft.job.templates.filter(\.readsInput).flatMap(\.holes)
    where [.input, .inputs].contains(hole.root) && hole.isNeeded && !made.contains(hole) {
      guard let name = hole.path.steps.first?.name, !names.contains(name) else { continue }
      let near = suggestion(for: name, among: axes) ?? axes[0]
      refuse(
        "'each' makes no member '\(name.printable)'", at: range(of: hole), advice: "did you mean '\(near.printable)'?")
    }
  }

  /// Refuses templates that read a window as a value, or a value as a window.
  private mutating func checkWindows(_ job: Job) {
    let names = Each.windowMembers
    let values = (job.set.map(\.value) + [job.body].compactMap { $0 }).flatMap(\.templates)
    let whole = Set(values.compactMap(\.onlyHole?.position))
    for axis in job.each?.axes ?? [] {
      guard case .span(let span) = axis.values else { continue }
      let name = axis.name.printable
      for hole in job.templates.flatMap(\.holes)
      where [.input, .inputs].contains(hole.root) && hole.path.steps.first?.name == axis.name {
        let rest = hole.path.steps.dropFirst().map(\.name)
        let read = "\(hole.root.rawValue).\(name)"
        if !span.isWindow, let member = rest.first {
          let isEnd = [names.start, names.end, names.next].contains(member)
          refuse(
            "'\(name)' of 'each' has points, which have no member '\(member.printable)'", at: range(of: hole),
            advice: isEnd ? "write 'window' in place of 'step' for windows" : "write '${\(read)}'")
        } else if span.isWindow, rest.isEmpty, !whole.contains(hole.position) {
          refuse(
            "'\(name)' of 'each' is a window, and not one value", at: range(of: hole),
            advice: "write '${\(read).start}', '${\(read).end}' or '${\(read).next}'")
        } else if span.isWindow, let member = rest.first, ![names.start, names.end, names.next].contains(member) {
          refuse(
            "a window has no member '\(member.printable)'", at: range(of: hole),
            advice: "its members are 'start', 'end' (the last unit before the next window) and 'next'")
        }
      }
    }
  }

  private mutating func checkInput(_ draft: JobDraft, isFirst: Bool) {
    guard draft.isWhole, draft.job.endpoint != nil, draft.job.match.isEmpty, !draft.job.namesInput else { return }
    let advice = "name a member of the input record in a template, such as '${input.id}', or add 'match'"
    if let download = draft.own["download"], draft.own["endpoint"] == nil {
      let advice = "name a member of the input record in a template, such as '${input.url}'"
      refuse("'download' in a step that reads no records", at: download.keyRange, advice: advice)
    } else if !isFirst, let key = draft.own["endpoint"], let (name, spelling) = draft.job.endpoint?.placeholders.first {
      // Another tool's way to write what the step reads.
      let text = String(decoding: source.bytes[key.value.range], as: UTF8.self)
      let before = text.firstRange(of: spelling).map { text[..<$0.lowerBound].utf8.count } ?? 0
      let first = key.value.range.lowerBound + before
      refuse(
        "'\(spelling.printable)' would be sent as it stands", at: first..<first + spelling.utf8.count,
        advice: "write '${input.\(name)}' for the member of the input record")
    } else if !isFirst {
      // The endpoint of a stream is its name by default.
      guard draft.own["endpoint"].map({ $0.keyRange == $0.value.range }) == true else { return }
      let other = "; for a stream that requests nothing, write 'endpoint: null'"
      refuse("a step after the first that reads no records", at: draft.range, advice: advice + other)
    } else if let attach = draft.own["attach"] {
      refuse("'attach' in a step that reads no records", at: attach.keyRange, advice: advice)
    }
  }

  // MARK: onError

  /// Checks `onError` of a job without input records, which is always `stop`.
  ///
  /// There, an inherited default is ignored, and the job's own value is an error.
  private mutating func checkOnError(_ draft: inout JobDraft) {
    guard draft.job.onError != .stop else { return }
    let own = draft.own["onError"]
    if draft.readsNothing {
      draft.job.onError = .stop
      if let own {
        refuse(
          "'onError' in a step that reads no records", at: own.value.range,
          advice: "leave it out: there it is always 'stop'")
      }
    } else if draft.job.onError == .empty, draft.own["attach"] == nil, let key = own ?? draft.inherited["onError"] {
      let advice = "'empty' attaches an empty list; add 'attach', or write 'skip' or 'stop'"
      refuse("'onError: empty' without 'attach'", at: key.value.range, advice: advice)
    }
  }
}

extension JSONPath {
  /// Name of the member at the start of the path.
  var firstName: String { steps.first?.name ?? "" }
}

extension JobDraft {
  /// True if the job makes a request for each input record.
  var fetchesForEach: Bool { isWhole && job.endpoint != nil && job.readsRecords && job.match.isEmpty }

  /// True if the job certainly reads no records; a value that could not be read might have named them.
  var readsNothing: Bool { isWhole && !job.readsRecords }
}

// Checks of a whole job without `endpoint`, which makes no request and only changes its input records.

internal import Diagnostics
import YAMLText

extension NodeDecoder {
  /// Checks that a job without `endpoint` changes its input records, and removes everything about requests.
  ///
  /// Such defaults beside `steps` are removed too, since they apply to the steps that make requests.
  mutating func completeWithoutEndpoint(_ draft: inout JobDraft) {
    guard SpecKeys.shaping.contains(where: { draft.own[$0] != nil }) else {
      refuse("no 'endpoint'", at: draft.range, advice: "add 'endpoint: ' with the URL to fetch")
      return
    }
    for key in draft.ownInOrder
    where SpecKeys.isUnfit(key.key, for: .passing) {
      let advice = "a step without it only changes its input records; add 'endpoint', or leave '\(key.key)' out"
      refuse("'\(key.key)' without 'endpoint'", at: key.keyRange, advice: advice)
      draft.own[key.key] = nil
    }
    draft.inherited = draft.inherited.filter { !SpecKeys.isUnfit($0.key, for: .passing) }
    let keys = draft.inherited.merging(draft.own) { $1 }.values.sorted {
      $0.keyRange.lowerBound < $1.keyRange.lowerBound
    }
    // The keys that are left are read once more; the mistakes in them are known.
    var (reader, rest) = (self, JobDraft())
    rest.read(Node(content: .map(keys), range: draft.range, spelling: ""), keys: SpecKeys.jobKeys, &reader)
    (rest.job.name, rest.job.position) = (draft.job.name, draft.job.position)
    draft.job = rest.job
  }
}

// Checks of a whole job with `download`.

internal import Diagnostics
import YAMLText

extension NodeDecoder {
  mutating func checkDownload(_ draft: JobDraft) {
    guard let download = draft.own["download"] else { return }
    for key in draft.ownInOrder {
      if key.key == "endpoint" {
        refuse("'endpoint' beside 'download'", at: key.keyRange, advice: "a file's URL is 'url' in 'download'")
      } else if key.key == "empty" {
        checkEmptyFile(draft, key)
      } else if SpecKeys.isUnfit(key.key, for: .files), key.key != "ignore" || draft.own["empty"] == nil {
        let advice = "what it saves is a file, whatever is in it; fetch records in a step of their own"
        refuse("'\(key.key)' beside 'download'", at: key.keyRange, advice: advice)
      }
    }
    guard draft.own["endpoint"] == nil else { return }
    let url = entries(of: download.value)?.first { $0.key == "url" }
    if let url, let endpoint = draft.job.endpoint { check(endpoint, of: draft, url.value, named: "'url'") }
  }

  /// Checks `empty` of a file, of which only the head of the answer is read.
  private mutating func checkEmptyFile(_ draft: JobDraft, _ key: Node.Entry) {
    let roots = Set((draft.job.empty?.condition?.paths ?? []).map(\.firstName))
    guard draft.job.empty?.isMissing == true || !roots.isSubset(of: ["status", "headers"]) else { return }
    refuse(
      "'empty' of a download reads more than the head of the answer", at: key.value.range,
      advice: "write a status such as '404', or a condition on 'status' and 'headers'")
  }
}
