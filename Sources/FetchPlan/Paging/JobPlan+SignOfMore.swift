// Signs of more: a response may say that there is more than the job sees. Then the run must not claim to be complete.

package import Wire
import JSONText
import PipelineSpec

extension JobPlan {
  /// Returns a warning if the first or the last page says that there is more than the job would fetch.
  ///
  /// - Parameter pager: after that page.
  package func signOfMore(in page: PageFacts, _ pager: Pager) -> MoreWarning? {
    guard let pages = job.pages, pages.kind != .single else {
      return job.pages?.isOnePageMeant == true ? nil : warning(MoreSigns(page, contentName: job.contentName))
    }
    // A page without records often lacks such values.
    if page.number == 1, page.recordCount > 0, let template = pager.missingOnFirstPage.first {
      return MoreWarning(reason: "\(template) in 'pages' is missing on the first page: there may be more")
    }
    guard case .end(.complete(let end)) = pager.step, !(pages.until == .known && page.hasKnown) else { return nil }
    let signs = MoreSigns(page, contentName: job.contentName)
    guard let vote = signs.strongest(against: pages.ownWeight(on: page)),
      page.number == 1 || looksForMoreAtEnd && pages.counts(vote, atEnd: page)
    else { return nil }
    let place = page.number == 1 ? "the first one" : "page \(page.number)"
    let subject =
      pager.namesNoNext
      ? "\(pages.kind.source) finds no next page on \(place)" : "'pages' ends after \(place) (\(end))"
    let line = signs.proposal(for: vote, of: job)?.line
    return MoreWarning(
      reason: "\(subject), but the response has \(vote.text(received: signs.facts.recordCount)): there is more",
      advice: line.map { ["what says so is read by", $0] } ?? [])
  }

  /// True if a later page that ends the stream may still say that there is more: where the spec reads by itself what says
  /// so, it knows of estimates.
  package var looksForMoreAtEnd: Bool {
    guard let pages = job.pages, pages.kind != .single else { return false }
    return pages.more == nil && pages.done == nil && pages.totalPages == nil && pages.totalRecords == nil
  }

  private func warning(_ signs: MoreSigns) -> MoreWarning? {
    guard let vote = signs.strongest() else { return nil }
    let lack = job.pages == nil ? "the job has no 'pages'" : "'pages' of the job has no pager"
    let sign = vote.text(received: signs.facts.recordCount)
    let proposal = signs.proposal(for: vote, of: job)
    let advice =
      proposal.map { ["add to the job", $0.line, "or, where one page is meant"] } ?? ["for one page, add to the job"]
    return MoreWarning(
      reason: "the response has \(sign), but \(lack): there is more, see 'pages'",
      advice: advice + ["pages: { limit: 1 }"],
      finding: MoreWarning.Finding(sign: sign, proposal: proposal))
  }
}

extension Job {
  /// The last name on the way to the content, as the spec spells it.
  package var contentName: String? {
    guard let text = contentIdentifier?.spelling else { return nil }
    return text.hasPrefix("/") ? JSONPath(contentPointer: text)?.steps.last { !$0.isEvery }?.name : text
  }
}

extension Pages {
  /// Reports that a sign counts on the last page.
  ///
  /// Totals don't, since they count all pages; and some servers name a page after the last one, or an empty one, as
  /// the next.
  fileprivate func counts(_ vote: MoreVote, atEnd page: PageFacts) -> Bool {
    if case .status(page.status)? = until { return false }
    switch kind {
    case .cursor, .next, .link: return vote.weight == .more || vote.weight == .next && page.recordCount > 0
    case .single, .number, .offset: return vote.weight == .more
    }
  }

  /// Weight of the pager's own word that there is no next page; none if the page lacks what the pager reads.
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
  /// Reports that the page has what it reads, also where that is null, or whether the spec says what it is without.
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
