// What only a whole job can be wrong about: `${since}`, which must be usable in the first run and in all that follow.

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func checkIncremental(_ draft: JobDraft) {
    guard draft.isWhole else { return }
    if draft.own["incremental"] != nil { return checkSinceInSpans(draft.job) }
    for hole in draft.job.templates.flatMap(\.holes) where hole.root == .since {
      let advice = "add 'incremental: { mark: MEMBER, start: … }', which says what 'since' is"
      refuse("'since' without 'incremental'", at: range(of: hole), advice: advice)
    }
  }

  /// Every text can stand in a request; the ends of a span must be of one kind, also when a mark has replaced `start`.
  private mutating func checkSinceInSpans(_ job: Job) {
    let samples = SinceSample.all(of: job)
    for axis in job.each?.axes ?? [] {
      guard case .span(let from, let to, let step, _) = axis.values else { continue }
      let holes = (from.templates + to.templates).flatMap(\.holes)
      guard let hole = holes.first(where: { $0.root == .since }) else { continue }
      for sample in samples {
        guard let problem = problem(with: sample, from, to, step) else { continue }
        refuse("\(sample.introduction), \(problem.message)", at: range(of: hole), advice: problem.advice)
        break
      }
    }
  }

  private func problem(
    with sample: SinceSample, _ from: TemplateValue, _ to: TemplateValue, _ step: String?
  ) -> (message: String, advice: String)? {
    var units: [SpanDraft.Unit] = []
    for (name, bound) in [("from", from), ("to", to)] {
      switch end(bound, with: sample) {
      case .unit(let unit): units.append(unit)
      case .unknown: return nil
      case .none(let text):
        let advice = "write '${since}' alone, and 'start' as 2024-01-31, 2024-01-31T00:00:00Z or 1"
        return ("'\(name)' is '\(text.printable)', which is no date, time or whole number", advice)
      }
    }
    return SpanError(from: units[0], to: units[1], step: step).map { error in
      // A step in days is right for dates and for times.
      let isMissingStep = !error.isOfStep && step == nil && !units.contains(.integer)
      let advice =
        isMissingStep ? "add 'step: 1d'" : units.contains(.integer) && !error.isOfStep ? Self.oneKind : error.advice
      return (error.message, advice)
    }
  }

  private static let oneKind = "'start', the marks and the other end are all dates and times, or all whole numbers"

  /// What a parameter's default is, so that a run that gives no other value is known to work again.
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
        return ((unit(of: template) ?? nil) ?? unitOfDefault(template)).map { .unit($0) } ?? .unknown
      }
      guard sample.isCertain || template.onlyHole != nil, template.holes.allSatisfy({ $0.root == .since }) else {
        return .unknown
      }
      let text = template.pieces.map { piece in
        if case .text(let text) = piece { text } else { sample.text }
      }.joined()
      if let unit = SpanDraft.Unit(dateOrTime: text) ?? (Int(text) == nil ? nil : .integer) { return .unit(unit) }
      return .none(text)
    }
  }
}
