internal import Diagnostics
internal import JSONText

/// Values of `pages` while it is decoded.
struct PagesDraft {
  var item: Pages.PageItem?
  var from: Template?
  var next: Template?
  var link: LinkDraft?
  var then: LaterRequest?
  var totalPages: Template?
  var totalRecords: Template?
  var more: Condition?
  var until: [Pages.Until] = []
  var isScroll: Bool?

  /// Returns the kind, or nil without the values that the kind needs.
  func kind(_ name: String) -> Pages.Kind? {
    switch name {
    case "number": item.map { .number(item: $0) }
    case "offset": item.map { .offset(item: $0) }
    case "cursor": item.flatMap { item in from.map { .cursor(item: item, from: $0) } }
    case "next": next.map { .next($0) }
    case "link": link.map { .link(relation: $0.relation, in: $0.path) }
    default: nil
    }
  }
}

/// Values of `link` while it is decoded.
struct LinkDraft {
  /// The relation that leads on, unless the spec names another one (RFC 8288 §3.3).
  var relation = "next"
  var path: JSONPath?
}
