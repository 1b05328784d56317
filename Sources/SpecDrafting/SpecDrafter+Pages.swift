// `new`: finds the pager of a draft, and tries it.

import Diagnostics
import Engine
import FetchPlan
import JSONText
import PipelineSpec
import Wire

extension SpecDrafter {
  /// A pager that may be right, and the evidence for it.
  struct Attempt {
    let proposal: PagesProposal
    let evidence: [String]
  }

  /// Finds the pager: from the next request of a recording, from a sign in the answer, or from a number in the request.
  func addPages(_ draft: inout SpecDraft, _ first: Trial, of reply: KeptReplies.Kept) async throws {
    var failures: [String] = []
    if let turn = turn(of: reply, first, draft), !isOnce {
      guard let doubt = try await add(turn, to: &draft, first) else { return }
      if let message = doubt.error, message.hasPrefix("status ") {
        failures = ["At first, the second page of the recording failed, as a run may:", "  \(message)"]
      }
    }
    defer { if draft.pages != nil { draft.comments["pages"]?.append(contentsOf: failures) } }
    guard let finding = first.counters.finding else {
      return try await addPagesUnasked(&draft, first)
    }
    let sign = "The answer has \(secrets.redacting(finding.sign)): there is more."
    guard var proposal = finding.proposal, isWritable(proposal.line) else {
      draft.comments["pages"] = [sign, "No pager is known for that: look up how the API turns pages, and add 'pages'."]
      return
    }
    // An item of the request is rather the right one than one whose name was only guessed.
    let items = Self.items(of: draft)
    if let own = proposal.countedItem, !items.contains(where: { $0.item == own }),
      let counted = countedItem(of: draft, like: proposal)
    {
      proposal = counted.proposal
    }
    if items.contains(where: { $0.item == proposal.countedItem }) { proposal.firstValue = nil }
    guard !isOnce else {
      draft.pages = proposal
      draft.comments["pages"] = [sign, "The pager has not been tried: look at what '--max-pages 2' brings."]
      return
    }
    if let doubt = try await doubt(of: Attempt(proposal: proposal, evidence: [sign]), &draft, first) {
      if doubt == .sameRecords, try await tryOtherList(&draft, proposal, [sign], reply) { return }
      // A link to another origin was not followed, for example.
      if replies.mayAskMore, let counted = countedItem(of: draft, like: nil), counted.proposal != proposal {
        let evidence = [
          sign, doubt.verdict, "  \(proposal.line)", "  \(doubt.text)",
          "But the request has '\(counted.item)'.",
        ]
        if try await self.doubt(of: Attempt(proposal: counted.proposal, evidence: evidence), &draft, first) == nil {
          return
        }
      }
      draft.comments["pages"] = [
        sign, doubt.verdict, "  \(proposal.line)", "  \(doubt.text)",
        "Look up how the API turns pages, and add 'pages'.",
      ]
    }
  }

  /// Reports that a line for the draft has no secret, and no name of thousands of bytes.
  private func isWritable(_ line: String) -> Bool {
    line.utf8.count <= 5 * WritableNames.longest && secrets.redacting(line) == line
  }

  /// Adds a pager if the answer has no sign of more: a number in the request may count pages.
  private func addPagesUnasked(_ draft: inout SpecDraft, _ first: Trial) async throws {
    guard draft.content != nil || draft.read != nil else {
      if let more = first.counters.shortfalls.first {
        draft.comments["pages"] = ["Of the first page: \(warning(more))."]
      }
      return
    }
    let nothing = "Nothing in the answer says that there is more than \(first.counters.records.counted("record"))."
    let reason =
      first.counters.shortfalls.first(besides: .full).map { "A run says of this page: \(warning($0))." } ?? nothing
    let attempts = [countedAttempt(of: draft, reason), keyAttempt(of: draft, first)].compactMap { $0 }
    guard let attempt = attempts.first, first.counters.records > 0, !isOnce else {
      let doubt = fullItem(of: draft, first).map {
        ["These are just as many as '\($0)' asks for: there may well be more."]
      }
      draft.comments["pages"] =
        [reason] + (doubt ?? []) + ["If the API turns pages, its documentation says how: add 'pages' then."]
      return
    }
    if let doubt = try await doubt(of: attempt, &draft, first) {
      draft.comments["pages"] =
        attempt.evidence + [
          doubt.verdict, "  \(attempt.proposal.line)", "  \(doubt.text)",
          "If the API turns pages, its documentation says how: add 'pages' then.",
        ]
    }
  }

  private func countedAttempt(of draft: SpecDraft, _ reason: String) -> Attempt? {
    countedItem(of: draft, like: nil).map {
      Attempt(proposal: $0.proposal, evidence: ["\(reason) But the request has '\($0.item)'."])
    }
  }

  /// Returns a pager that continues at the id of the last record, for a full page whose ids only fall or only rise.
  private func keyAttempt(of draft: SpecDraft, _ first: Trial) -> Attempt? {
    guard let size = fullItem(of: draft, first), draft.body == nil, draft.form.isEmpty, draft.content?.wrapper == nil
    else { return nil }
    let records = first.lines.split(separator: UInt8(ascii: "\n")).map { JSONValue(validated: Array($0)[...]) }
    let ids = records.compactMap { $0["id"].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } } }
    guard ids.count == records.count, ids.count > 1 else { return nil }
    let pairs = zip(ids, ids.dropFirst())
    let isFalling = pairs.allSatisfy { $0 > $1 }
    guard isFalling || pairs.allSatisfy({ $0 < $1 }) else { return nil }
    let order = isFalling ? "falls" : "rises"
    return PagesProposal.carrying(RequestItem(isFalling ? "before" : "after"), from: ["last", "id"], like: nil).map {
      Attempt(
        proposal: $0,
        evidence: ["The page has as many records as '\(size)' asks for, and 'id' \(order) from each to the next."])
    }
  }

  /// Returns the item that asks for as many records as have come.
  private func fullItem(of draft: SpecDraft, _ first: Trial) -> String? {
    draft.query.first { PagesProposal.isPageSize($0.name) && Int($0.value) == first.counters.records }?.name
  }

  /// Returns a warning of a run without the name of its job.
  private func warning(_ text: String) -> String {
    let start = "\(Self.name): "
    return secrets.redacting(String(text.hasPrefix(start) ? text.dropFirst(start.count) : text[...]))
  }

  /// Returns the item of the request that counts pages or records, with a pager for it.
  ///
  /// - Parameter other: a pager whose keys for the end also fit this one.
  private func countedItem(
    of draft: SpecDraft, like other: PagesProposal?
  ) -> (item: String, proposal: PagesProposal)? {
    for item in Self.items(of: draft) {
      // A large number is rather an id.
      guard let value = Int(item.value), (0...Self.mostStart).contains(value) else { continue }
      let isOffset: Bool
      switch PagesProposal.counted(by: item.item.name) {
      case .page: isOffset = false
      case .offset: isOffset = true
      case nil: continue
      }
      if let proposal = PagesProposal.counting(item.item, isOffset: isOffset, like: other) {
        return (item.item.name, proposal)
      }
    }
    return nil
  }

  /// Returns the items that a pager could count.
  private static func items(of draft: SpecDraft) -> [(item: RequestItem, value: String)] {
    let form = draft.form.map { (item: RequestItem(in: .form, $0.name), value: $0.value) }
    let body = draft.body.flatMap { try? JSONValue(parsing: Array($0.utf8)) }.map { numbers(in: $0, []) } ?? []
    // Items that 'query' would encode in another way stay in the URL.
    let others = URLItem.all(in: draft.endpoint).map { (item: RequestItem($0.name), value: $0.value) }
    return draft.query.map { (item: RequestItem($0.name), value: $0.value) } + others + form + body
  }

  /// Largest number that can be the number of a page.
  private static let mostStart = 1_000

  /// Returns the whole numbers of a body by their paths.
  private static func numbers(in value: JSONValue, _ path: [String]) -> [(item: RequestItem, value: String)] {
    guard value.kind == .object, path.count < 3 else {
      guard value.kind == .number, !path.isEmpty else { return [] }
      return [(RequestItem(in: .body, JSONPath(path).description), value.text)]
    }
    return value.members.flatMap { numbers(in: $0.value, path + [$0.name]) }
  }

  /// Tries a pager with two pages; returns the reason why it is wrong, or nil if it is now part of the draft.
  private func doubt(of attempt: Attempt, _ draft: inout SpecDraft, _ first: Trial) async throws -> PagerDoubt? {
    let proposal = attempt.proposal
    draft.pages = proposal
    guard (try? Self.spec(draft.file)) != nil else {
      draft.pages = nil
      return proposal.kind == .cursor && draft.body != nil ? .noPlaceInBody : .invalidSpec
    }
    let isCounted = proposal.kind == .number || proposal.kind == .offset
    let isNew = isCounted && !isRecorded && !Self.items(of: draft).contains { $0.item == proposal.countedItem }
    // The request of the pager's own first page would be a third one.
    if isNew { replies.expectFirst() }
    let second = try await trial(draft.file, pages: 2)
    if let doubt = doubt(first, second), !proposal.isExact || doubt != .emptyPage {
      draft.pages = nil
      return doubt
    }
    let count = second.counters.records - first.counters.records
    draft.pages = proposal.with(comment: "")
    draft.comments["pages"] =
      attempt.evidence + [
        count == 0
          ? "The pager was tried: the second page is empty."
          : "The pager was tried: the second page has \(count.counted("record")), others than the first."
      ]
    if isCounted, !proposal.saysEnd, let content = draft.content, let name = content.names.last {
      draft.comments["pages"]?.append(
        "An empty page ends the pages: if '\(name)' is missing there, add 'empty: missing'.")
    }
    if isNew, replies.usedFirst, proposal.kind == .number, !proposal.isStartTold, let item = proposal.countedItem {
      draft.comments["pages"]?.append(contentsOf: [
        "The URL has no '\(item.name)', and its page is taken for the one with '\(item.name)' of \(proposal.firstNumber), which was not requested:",
        "see whether the API counts from there, otherwise give '\(item.name)' its first value in the request.",
      ])
    }
    return nil
  }

  /// Takes another list of the answer for the records, if the pager turns the pages of that list.
  private func tryOtherList(
    _ draft: inout SpecDraft, _ proposal: PagesProposal, _ evidence: [String], _ reply: KeptReplies.Kept
  ) async throws -> Bool {
    guard let answer = try? JSONValue(parsing: reply.bytes), let content = draft.content else { return false }
    var names = WritableNames(without: secrets)
    let body = names.keep(answer)
    let (pages, comment) = (draft.pages, draft.comments["contentIdentifier"])
    for other in Self.candidates(in: body, of: draft) where other != content && other.count > 0 && !other.isOther {
      draft.pages = nil
      draft.content = other
      let first = try await trial(draft.file, pages: 1)
      guard first.failure == nil else { continue }
      draft.comments["contentIdentifier"] = [
        "The records: \(other.text). The second page has the same \(content.text) as the first."
      ]
      if try await doubt(of: Attempt(proposal: proposal, evidence: evidence), &draft, first) == nil { return true }
    }
    (draft.content, draft.pages, draft.comments["contentIdentifier"]) = (content, pages, comment)
    return false
  }

  // MARK: Doubts

  /// Returns the reason why the second page is none; nil if it is one.
  func doubt(_ first: Trial, _ second: Trial) -> PagerDoubt? {
    let failure = second.failure.map { (failure) -> PagerDoubt in
      let message = secrets.redacting(failure.error.message.prefix { $0 != "\n" }.description)
      return failure.error.isOfServer ? .refused(message) : .failure(message)
    }
    guard second.lines.starts(with: first.lines) else {
      if second.lines.isEmpty, let failure { return failure }
      return .otherFirstPage
    }
    if let failure { return failure }
    guard second.counters.pages > 1 else { return .noSecondPage }
    let known = Set(first.lines.split(separator: UInt8(ascii: "\n")))
    let news = second.lines[first.lines.count...].split(separator: UInt8(ascii: "\n"))
    if news.isEmpty { return .emptyPage }
    let again = news.count(where: known.contains)
    if again == news.count { return .sameRecords }
    return again == 0 ? nil : .someSameRecords(again, of: news.count)
  }

  static func counted(_ count: Int) -> String { "\(count.counted("record"))" }
}

extension NetworkingError {
  /// True for an error that says nothing of the request's pager: of access, of a limit, of the server or the network.
  fileprivate var isOfServer: Bool {
    switch self {
    case .invalidResponseStatus(_, let context):
      [401, 402, 403, 408, 425, 429].contains(context.status) || context.status ?? 0 >= 500
    case .transportFailure: true
    default: false
    }
  }
}

// The reason why `new` does not take a pager that it has tried.

/// The reason why a pager is wrong.
enum PagerDoubt: Hashable {
  /// The second request failed; the message is redacted.
  case failure(String)
  /// The server refused the second request for a reason that says nothing of the pager; the message is redacted.
  case refused(String)
  case noSecondPage, emptyPage, sameRecords
  case someSameRecords(Int, of: Int)
  /// The pager's own first page differs from that of the URL.
  case otherFirstPage
  /// The request's body has no member for the cursor.
  case noPlaceInBody
  /// `check` refuses the spec with this pager.
  case invalidSpec

  /// The error of the second request; nil if it had an answer.
  var error: String? {
    switch self {
    case .failure(let message), .refused(let message): message
    default: nil
    }
  }

  /// The result of the trial, before the pager's line.
  var verdict: String {
    switch self {
    case .refused: "The server refused the second page, so that this is neither right nor wrong:"
    case .noPlaceInBody, .invalidSpec: "This could not be tried:"
    case .failure, .noSecondPage, .emptyPage, .sameRecords, .someSameRecords, .otherFirstPage:
      "This was tried, and is not right:"
    }
  }

  /// The reason as a sentence of the draft's comment.
  var text: String {
    switch self {
    case .failure(let message), .refused(let message): message
    case .noSecondPage: "It leads to no second page."
    case .emptyPage: "The second page was empty."
    case .sameRecords: "The second page has the records of the first."
    case .someSameRecords(let again, let all):
      "\(again) of \(all.counted("record")) of the second page are on the first one, too."
    case .otherFirstPage: "The first page by this pager is another one; perhaps the count begins elsewhere."
    case .noPlaceInBody: "The body has no such place: declare the variable in the query, and give it in 'variables'."
    case .invalidSpec: "The spec would not be valid."
    }
  }
}
