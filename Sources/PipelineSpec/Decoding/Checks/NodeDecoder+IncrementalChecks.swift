// Checks `${since}` in whole jobs: it must be usable in the first run and in all later ones.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  /// Determines and checks the marks that `${since}` reads in each job, once the names of all jobs are known.
  mutating func resolveSince(_ drafts: inout [JobDraft]) {
    guard drafts.allSatisfy(\.isWhole) else { return }
    let owners = drafts.map(\.job).filter { $0.incremental != nil }
    let sources = owners.compactMap { job in job.incremental.map { Since(job: job.name, incremental: $0) } }
    for index in drafts.indices {
      let job = drafts[index].job
      let since =
        job.incremental.map { Since(job: job.name, incremental: $0) } ?? (sources.count == 1 ? sources[0] : nil)
      drafts[index].job.since = since
      checkSince(in: drafts[index].job, sources, isFirst: index == 0)
      checkSinceInSpans(drafts[index].job, owners.first { $0.name == since?.job })
    }
  }

  private mutating func checkSince(in job: Job, _ sources: [Since], isFirst: Bool) {
    guard let hole = job.templates.flatMap(\.holes).first(where: { $0.root == .since }) else { return }
    guard let since = job.since else {
      let names = sources.map { "'\($0.job.printable)'" }.joined(separator: ", ")
      sources.isEmpty
        ? refuse(
          "'since' without 'incremental'", at: range(of: hole),
          advice: "add 'incremental: { mark: MEMBER, start: … }', which says what 'since' is")
        : refuse(
          "'since' of which step? \(names) have 'incremental'", at: range(of: hole),
          advice: "read it in a step that has 'incremental', which reads its own")
      return
    }
    guard !since.incremental.by.isEmpty else { return }
    if since.job != job.name || job.incremental == nil {
      refuse(
        "'since' of '\(since.job.printable)', which has one for each of its input records ('by')", at: range(of: hole),
        advice: "only that step can read it")
    } else if isFirst, let hole = job.eachTemplates.flatMap(\.holes).first(where: { $0.root == .since }) {
      refuse(
        "'since' in 'each' of a step with 'by'", at: range(of: hole),
        advice: "'each' makes the input records, and 'since' is of one of them; make the records in a step before")
    }
  }

  /// Checks that the job has the keys that `incremental` and `until: known` need.
  mutating func checkIncremental(_ draft: JobDraft) {
    guard draft.isWhole else { return }
    let job = draft.job
    if let pages = draft.own["pages"], job.pages?.until.contains(.known) == true {
      if case .member? = job.incremental?.mark {
      } else {
        refuse(
          "'until: known' without a 'mark' of the records", at: pages.keyRange,
          advice: "add 'incremental: MEMBER', which says what is known")
      }
    }
    guard let key = draft.own["incremental"], let incremental = job.incremental else { return }
    if let only = incremental.only, incremental.mark.template != nil {
      refuse(
        "'only: \(only.rawValue)' beside a mark that is not a member of the records", at: key.value.range,
        advice: "let 'mark' name a member of the fetched records, with which 'only' compares, or leave 'only' out")
    }
    if incremental.expired != nil, !job.requestReadsSince {
      refuse(
        "'expired' without '${since}' in the request", at: key.value.range,
        advice: "let 'query', 'headers', 'body' or 'endpoint' read it: without a mark the request would be the same")
    }
    guard !incremental.by.isEmpty else { return checkInputMark(incremental, draft, key) }
    if !job.match.isEmpty || draft.own["batch"] != nil || draft.readsNothing {
      refuse(
        "'by' in a step that does not fetch for each input record", at: key.value.range,
        advice: "name a member of the input record in a template, such as '${input.id}'")
    }
  }

  private mutating func checkInputMark(_ incremental: Incremental, _ draft: JobDraft, _ key: Node.Entry) {
    if case .answer(let template) = incremental.mark, draft.own["batch"] != nil || draft.fetchesForEach {
      let isBatched = draft.own["batch"] != nil
      refuse(
        "a mark of the answer in a step with many answers",
        at: template.holes.first.map { range(of: $0) } ?? key.value.range,
        advice: isBatched
          ? "a request of 'batch' is for many input records; name a member of the fetched ones"
          : "add 'by', which names what tells the input records apart: each has a mark of its own")
    }
    guard case .input = incremental.mark else { return }
    let isBatched = draft.own["batch"] != nil
    guard isBatched || !draft.job.match.isEmpty else { return }
    refuse(
      "a mark of the input record beside '\(isBatched ? "batch" : "match")'", at: key.value.range,
      advice: isBatched
        ? "a request of 'batch' is for many input records; name a member of the fetched ones"
        : "with 'match' a step fetches once, not once a record; name a member of the fetched ones")
  }

  /// Checks that the ends of a span are of one kind, also after a mark has replaced `start`.
  ///
  /// Other templates are not checked, since a request may contain any text.
  private mutating func checkSinceInSpans(_ job: Job, _ owner: Job?) {
    let samples = job.since.map { SinceSample.all(of: $0, owner) } ?? []
    for axis in job.each?.axes ?? [] {
      // With 'as', numbers and dates are read as times.
      guard case .span(let span) = axis.values, span.form == nil else { continue }
      let holes = (span.from.templates + span.to.templates).flatMap(\.holes)
      guard let hole = holes.first(where: { $0.root == .since }) else { continue }
      for sample in samples {
        guard let problem = problem(with: sample, span) else { continue }
        refuse("\(sample.introduction), \(problem.message)", at: range(of: hole), advice: problem.advice)
        break
      }
    }
  }

  private func problem(with sample: SinceSample, _ span: Each.Span) -> (message: String, advice: String)? {
    var units: [SpanDraft.Unit] = []
    for (name, bound) in [("from", span.from), ("to", span.to)] {
      switch end(bound, with: sample) {
      case .unit(let unit): units.append(unit)
      case .unknown: return nil
      case .none(let text):
        let advice = "write '${since}' alone, and 'start' as 2024-01-31, 2024-01-31T00:00:00Z or 1"
        return ("'\(name)' is '\(text.printable)', which is not a date, time or whole number", advice)
      }
    }
    return SpanError(from: units[0], to: units[1], step: span.step.map { SpanDraft.Step($0) }).map { error in
      // A step in days fits dates and times.
      let isMissingStep = !error.isOfStep && span.step == nil && !units.contains(.integer)
      let advice =
        isMissingStep ? "add 'step: 1d'" : units.contains(.integer) && !error.isOfStep ? Self.oneKind : error.advice
      return (error.message, advice)
    }
  }

  private static let oneKind = "'start', the marks and the other end are all dates and times, or all whole numbers"

  /// Returns the unit of a parameter's default, to check a second run that gives no other value.
  private func unitOfDefault(_ template: Template) -> SpanDraft.Unit? {
    guard let hole = template.onlyHole, hole.root == .param, let name = hole.path.steps.first?.name,
      let text = parameterDefaults[name]
    else { return nil }
    return SpanDraft.Unit(dateOrTime: text) ?? (Int(text) == nil ? nil : .integer)
  }

  private enum SpanEnd {
    case unit(SpanDraft.Unit)
    /// No date, time or whole number.
    case none(String)
    /// Other templates decide.
    case unknown
  }

  private func end(_ bound: TemplateValue, with sample: SinceSample) -> SpanEnd {
    switch bound {
    case .constant: return .unit(.integer)
    case .list, .map: return .unknown
    case .string(let template):
      guard template.names(.since) else {
        return (template.spanUnit ?? unitOfDefault(template)).map { .unit($0) } ?? .unknown
      }
      guard sample.isCertain || template.onlyHole != nil, template.holes.allSatisfy({ $0.root == .since }) else {
        return .unknown
      }
      let texts = template.pieces.map { piece in
        switch piece {
        case .text(let text): text
        case .hole(let hole): sample.text(of: hole)
        }
      }
      guard !texts.contains(nil) else { return .unknown }
      let text = texts.compactMap { $0 }.joined()
      if let unit = SpanDraft.Unit(dateOrTime: text) ?? (Int(text) == nil ? nil : .integer) { return .unit(unit) }
      return .none(text)
    }
  }
}
