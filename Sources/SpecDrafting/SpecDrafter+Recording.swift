// `new --har`: takes the pager from the way in which a recording continues.

import Engine
import FetchPlan
import Fetching
import JSONText
import Wire

extension SpecDrafter {
  /// Limit for the shown characters of an item's value.
  private static let mostOfValue = 80

  /// Returns the pager of the recording, with the evidence for it.
  func turn(of reply: KeptReplies.Kept, _ first: Trial, _ draft: SpecDraft) -> Attempt? {
    guard let turn = look.turn, let body = try? JSONValue(parsing: reply.bytes) else { return nil }
    // For a pager, the last record is the whole element.
    let list = draft.content.flatMap { $0.wrapper == nil ? nil : $0.names.reduce(Optional(body)) { $0?[$1] } }
    let lines = list.map { Array($0.elements.map(\.bytes).joined(separator: "\n".utf8)) } ?? first.lines
    guard
      let proposal = turn.proposal(body, lines, like: first.counters.finding?.proposal)
    else { return nil }
    func shown(_ value: String) -> String {
      secrets.redacting(value).shortened(to: Self.mostOfValue)
    }
    let (before, after) = (shown(turn.before ?? "nothing"), shown(turn.after))
    let evidence =
      "The next request of the recording has '\(turn.item.name)' of \(after), where the first has \(before)."
    return Attempt(proposal: proposal, evidence: [evidence])
  }

  /// Adds the pager of a recording, if it gives a second page; otherwise returns the reason why it is wrong.
  func add(_ turn: Attempt, to draft: inout SpecDraft, _ first: Trial) async throws -> PagerDoubt? {
    draft.pages = turn.proposal
    // A pager that no spec can express is no pager.
    let isValid = (try? Self.spec(draft.file)) != nil
    let reason = isValid ? doubt(first, try await trial(draft.file, pages: 2)) : .invalidSpec
    guard reason == nil else {
      draft.pages = nil
      return reason
    }
    draft.comments["pages"] = turn.evidence
    try await endPages(&draft, turn.proposal)
    return nil
  }

  /// Ends the pages with a short one, if the recording ends in this way.
  private func endPages(_ draft: inout SpecDraft, _ proposal: PagesProposal) async throws {
    guard let short = proposal.endingShort else { return }
    let all = try await trial(draft.file, pages: Self.mostPages)
    guard all.failure != nil else { return }
    draft.pages = short
    let ended = try await trial(draft.file, pages: Self.mostPages)
    if ended.failure == nil, ended.counters.records == all.counters.records {
      draft.comments["pages"]?.append("Its last page has fewer records than the first: that is taken for the end.")
    } else {
      draft.pages = proposal
      draft.comments["pages"]?.append(
        "It does not show how the pages end: without a key for that, an empty page ends them.")
    }
  }

  /// Limit for the pages of a recording.
  private static let mostPages = 1_000
}
