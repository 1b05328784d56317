// Checks of the requests of later pages: `then` and `scroll` of `pages`.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func checkLaterPages(_ draft: JobDraft) {
    if let key = draft.own["maxPages"], draft.own["download"] == nil {
      if draft.own["pages"] == nil {
        refuse(
          "'maxPages' without 'pages'", at: key.keyRange, advice: "add 'pages', which says how to get the next page")
      } else if draft.job.pages?.kind == .single {
        refuse("'maxPages' beside 'pages: one'", at: key.keyRange, advice: "leave one of them out")
      }
    }
    guard let pages = draft.job.pages, let key = draft.own["pages"] ?? draft.inherited["pages"],
      let entries = entries(of: key.value)
    else { return }
    if let then = pages.then, let entry = entries.first(where: { $0.key == "then" }),
      let endpoint = self.entries(of: entry.value)?.first(where: { $0.key == "endpoint" })
    {
      check(then.endpoint, of: draft, endpoint.value)
    }
    if pages.isScroll { checkScroll(pages, entries, draft) }
  }

  /// Refuses keys that repeat a request of a scroll, since each one moves the server's position.
  private mutating func checkScroll(_ pages: Pages, _ entries: [Node.Entry], _ draft: JobDraft) {
    if draft.job.ignored.contains(.repeats), let entry = draft.own["ignore"] ?? draft.inherited["ignore"] {
      let advice = "leave it out: pages of a scroll that have the same content are a circle"
      refuse("'ignore: repeats' beside 'scroll'", at: entry.value.range, advice: advice)
    }
    if draft.job.poll != nil, let entry = draft.own["poll"] ?? draft.inherited["poll"] {
      let advice = "a repeated request would skip a page: poll in a step before"
      refuse("'poll' beside 'scroll'", at: entry.keyRange, advice: advice)
    }
    if pages.then == nil, let item = pages.kind.item, draft.job.sends(item),
      let entry = entries.first(where: { $0.key == "cursor" })
    {
      let advice = "a scroll begins without the cursor: otherwise a lost first answer would be a lost page"
      refuse("the first request has the cursor of the scroll, too", at: entry.value.range, advice: advice)
    }
  }
}

extension Job {
  /// True if the job itself gives a value for a pager's item.
  fileprivate func sends(_ item: Pages.PageItem) -> Bool {
    switch item {
    case .query(let name): return query.contains { $0.name == name }
    case .header(let name): return headers.contains { $0.name.lowercased() == name.lowercased() }
    case .body(let path):
      guard path.steps.count == 1, let name = path.steps.first?.name else { return false }
      if let form { return form.contains { $0.name == name } }
      guard case .map(let members)? = body, let member = members.first(where: { $0.name == name }) else { return false }
      if case .constant(let json, _) = member.value { return !json.isNull }
      return true
    }
  }
}
