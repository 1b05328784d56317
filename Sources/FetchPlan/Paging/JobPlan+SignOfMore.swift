// Signs of more: a response may say that there is more than the job sees. Then the run must not claim to be complete.

package import Wire
import JSONText
import PipelineSpec

extension JobPlan {
  /// What a stream's first page says of more that the job would not see, in words; nil when there is no sign of it.
  ///
  /// - Parameter pager: after that page.
  package func signOfMore(in page: PageFacts, _ pager: Pager) -> MoreWarning? {
    guard let pages = job.pages, pages.kind != .single else {
      return job.pages?.isOnePageMeant == true ? nil : warning(MoreSigns(page))
    }
    // A page without records often lacks such values.
    if page.recordCount > 0, let template = pager.missingOnFirstPage.first {
      return MoreWarning(reason: "\(template) in 'pages' is missing on the first page: there may be more")
    }
    guard case .end(.complete(let end)) = pager.step, !(pages.until == .known && page.hasKnown) else { return nil }
    let signs = MoreSigns(page)
    guard let vote = signs.strongest(against: pages.ownWeight(on: page)) else { return nil }
    let subject =
      pager.namesNoNext
      ? "\(pages.kind.source) finds no next page on the first one" : "'pages' ends after the first one (\(end))"
    let line = signs.proposal(for: vote, of: job)?.line
    return MoreWarning(
      reason: "\(subject), but the response has \(vote.text(received: signs.facts.recordCount)): there is more",
      advice: line.map { ["what says so is read by", $0] } ?? [])
  }

  private func warning(_ signs: MoreSigns) -> MoreWarning? {
    guard let vote = signs.strongest() else { return nil }
    let lack = job.pages == nil ? "the job has no 'pages'" : "'pages' of the job has no pager"
    let sign = vote.text(received: signs.facts.recordCount)
    let line = signs.proposal(for: vote, of: job)?.line
    let advice = line.map { ["add to the job", $0, "or, where one page is meant"] } ?? ["for one page, add to the job"]
    return MoreWarning(
      reason: "the response has \(sign), but \(lack): there is more, see 'pages'",
      advice: advice + ["pages: { limit: 1 }"])
  }
}

extension Pages {
  /// How much the pager's own word weighs that there is no next page: nothing where what it reads is not there at all.
  fileprivate func ownWeight(on page: PageFacts) -> MoreSign.Weight {
    if more != nil || done != nil { return .more }
    switch kind {
    case .cursor(_, let template) where template.isThere(on: page): return .next
    case .next(let template) where template.isThere(on: page): return .next
    case .link(_, let path?) where page.captured[path.pointer] != nil: return .next
    case .link(_, nil) where page.fields["Link"] != nil: return .next
    case .single, .number, .offset, .cursor, .next, .link: break
    }
    // Of several totals, the spec says which one counts.
    return totalPages != nil || totalRecords != nil ? .pages : .none
  }
}

extension Template {
  /// Whether the page has what it reads, also where that is null, or whether the spec says what it is without.
  fileprivate func isThere(on page: PageFacts) -> Bool {
    holes.allSatisfy { hole in
      if hole.fallback != nil || hole.isOptional { return true }
      return switch hole.root {
      case .body: page.captured[hole.path.pointer] != nil
      case .headers: page.fields[hole.path.steps.first?.name ?? ""] != nil
      case .last: page.last[hole.path.pointer] != nil
      default: true
      }
    }
  }
}

extension Pages.Kind {
  /// Source of the next page, as the spec spells it.
  fileprivate var source: String {
    switch self {
    case .cursor(_, let template), .next(let template): "\(template.spelling) in 'pages'"
    case .link(let relation, _): "'link: \(relation)' in 'pages'"
    case .single, .number, .offset: "'pages'"
    }
  }
}
