package import Diagnostics
package import JSONText
import Primitives

/// `pages`: how further pages are requested.
package struct Pages: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// One page is all there is: `pages: one`.
    case single
    /// The first answer with a sign of more says how: `pages: auto`.
    case auto
    /// The item goes up by 1, from `start` on if the request has no value for it.
    case number(item: PageItem, start: Int = 1)
    /// The item goes up by the records received, from `start` on if the request has no value for it.
    case offset(item: PageItem, start: Int = 0)
    /// The item is the template's value in the previous page; so are the others, each of a template of its own.
    case cursor(item: PageItem, from: Template, others: [Cursor] = [])
    /// The next URL is the template's value.
    case next(Template)
    /// The next URL is the target of a relation, in the `Link` header or in an array of the body.
    case link(relation: String, in: JSONPath?)

    /// The templates that lead to the next page.
    package var templates: [Template] {
      switch self {
      case .cursor: cursors.map(\.from)
      case .next(let template): [template]
      case .single, .auto, .number, .offset, .link: []
      }
    }

    package var items: [PageItem] {
      switch self {
      case .number(let item, _), .offset(let item, _): [item]
      case .cursor: cursors.map(\.item)
      case .single, .auto, .next, .link: []
      }
    }

    /// The items of a cursor, each with the source of its value.
    package var cursors: [Cursor] {
      if case .cursor(let item, let from, let others) = self { [Cursor(item: item, from: from)] + others } else { [] }
    }

    init?(cursors: [Cursor]) {
      guard let first = cursors.first else { return nil }
      self = .cursor(item: first.item, from: first.from, others: Array(cursors.dropFirst()))
    }
  }
  /// An item of the request, and the source of its value in the previous page.
  package struct Cursor: Hashable, Sendable {
    package let item: PageItem
    package let from: Template
    package init(item: PageItem, from: Template) { (self.item, self.from) = (item, from) }
  }
  /// Location of the pager's item in the request.
  package enum PageItem: Hashable, Sendable {
    case query(String)
    /// Path in the request's body, or the name of an item of its form.
    case body(JSONPath)
    /// Name of a header field.
    case header(String)
    /// The template `${page}` in the path or the query of `endpoint`.
    case endpoint
  }
  package enum Until: Hashable, Sendable {
    /// A page with fewer records than the first.
    case short
    /// A page with a record that is not above the mark.
    case known
    /// The last page comes again.
    case repeated
    case condition(Condition)
  }
  package var kind: Kind
  /// The request of the later pages, if it is another one than that of the first.
  package var then: LaterRequest?
  /// Most pages of a run: `maxPages` of the job, and the limit of the command line.
  package var limit: Int?
  package var totalPages: Template?
  package var totalRecords: Template?
  package var more: Condition?
  /// Each ends the pages.
  package var until: [Until] = []
  /// The least size that a page is asked for with, after larger ones have failed.
  package var smallest: Int?
  /// True if the server keeps the position, so that the same request gives the next page.
  package var isScroll: Bool = false
  package var position: SourcePosition

  /// True if one page is all there is, so that no sign of more matters: `pages: one`.
  package var isOnePageMeant: Bool { kind == .single }

  /// True if the pager is known, and asks for further pages.
  package var isKnown: Bool { kind != .single && kind != .auto }

  package init(kind: Kind, position: SourcePosition) {
    self.kind = kind
    self.position = position
  }

  package var templates: [Template] { ownTemplates + (then?.templates ?? []) }

  /// Templates of the pager, without those of `then`.
  var ownTemplates: [Template] { kind.templates + [totalPages, totalRecords].compactMap { $0 } }

  /// Conditions that end the pages.
  package var conditions: [Condition] {
    [more].compactMap { $0 } + until.compactMap { if case .condition(let condition) = $0 { condition } else { nil } }
  }

  /// Alternatives of the conditions under `more` or `until`.
  package func alternatives(of key: String) -> [[Condition.Clause]] {
    key == "more" ? more?.alternatives ?? [] : conditions.dropFirst(more == nil ? 0 : 1).flatMap(\.alternatives)
  }

  /// True if the spec says that the last page may have no records: by a word of `until`, or by `more: last`.
  package var mayEndEmpty: Bool {
    more?.statement == ["last"] || until.contains { if case .condition = $0 { false } else { true } }
  }

  /// True if a page says itself whether there is another one.
  package var hasFlag: Bool { !conditions.isEmpty }
}

// The item of a request that gives the size of a page, by its name.

extension Pages {
  private static let sizes: Set = [
    "limit", "perpage", "pagesize", "size", "rows", "first", "maxresults", "count", "top", "num", "take", "pagelimit",
    "maxitems", "maxrecords", "maxkeys", "maxpagesize", "itemsperpage", "resultsperpage", "hitsperpage", "pagelength",
    "length", "max", "rowcount", "batchsize", "fetchsize", "resultrecordcount", "numresults", "maxrows", "resultsize",
    "pagecount", "numrows", "last", "recordsperpage", "perpagecount", "ps", "maxcount", "entriesperpage", "n",
  ]

  /// True for the name of an item that gives the size of a page, in small letters and digits: `perpage`.
  package static func isSize(plainName name: String) -> Bool {
    sizes.contains(name) || ["limit", "pagesize", "perpage", "maxresults"].contains(where: name.hasSuffix)
  }

  /// True for the name or path of an item that gives the size of a page: `page[size]`, `paging.limit`.
  static func isSizeItem(_ name: String) -> Bool {
    let plain = name.replacing("%5B", with: "[").replacing("%5D", with: "]")
    let last = plain.split { "[]/.".contains($0) }.last ?? ""
    return isSize(plainName: last.lowercased().filter { $0.isLetter || $0.isNumber })
  }
}

extension Job {
  /// True if an item of the request may give the size of a page.
  var maySizePages: Bool {
    let items = (query + (form ?? [])).map(\.name)
    let names = items + URLParts(endpoint?.spelling ?? "").items.map { String($0.name) }
    return names.contains(where: Pages.isSizeItem) || body?.hasSize == true
  }
}

extension TemplateValue {
  /// True if a member may give the size of a page; an unknown value may have one.
  fileprivate var hasSize: Bool {
    switch self {
    case .constant, .list: false
    case .string(let template): template.onlyHole != nil
    case .map(let members):
      members.contains { member in
        if case .map = member.value { return member.value.hasSize }
        return Pages.isSizeItem(member.name)
      }
    }
  }
}

/// The request of the later pages of a job, without what it has in common with the first: `base`, `headers`, `auth`.
package struct LaterRequest: Hashable, Sendable {
  package var endpoint: Template
  package var method: String?
  package var query: [Job.QueryItem]
  package var body: TemplateValue?
  package var form: [Job.QueryItem]?
  package var text: Template?

  package var templates: [Template] {
    [endpoint, text].compactMap { $0 } + (query + (form ?? [])).flatMap(\.values).flatMap(\.templates)
      + (body?.templates ?? [])
  }
}

extension Job {
  /// The job with the request of the later pages; nil if all pages have the request of the first.
  package var ofLaterPages: Job? {
    guard let then = pages?.then else { return nil }
    var job = self
    (job.endpoint, job.method, job.query) = (then.endpoint, then.method, then.query)
    (job.body, job.form, job.text) = (then.body, then.form, then.text)
    job.pages?.then = nil
    return job
  }
}

/// `poll`: repeats the same request until the server is done.
package struct Poll: Hashable, Sendable {
  /// Holds for the answer that is the content; nil for any answer but 202.
  package var until: Condition?
  /// Holds for an answer after which the content will never be there.
  package var failure: Condition?
  /// Wait between two requests, unless the server names one.
  package var every: Duration = .seconds(10)
  /// Limit for the time from the first request to the last.
  package var within: Duration = .seconds(1_800)
  package init() {}
}
