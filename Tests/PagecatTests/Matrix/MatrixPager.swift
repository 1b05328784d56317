/// How the model server pages, and what a spec says about it.
enum MatrixPager: String, CaseIterable, Sendable {
  case none, number, offset, cursor, next
  case linkHeader = "link header"
  case linkInBody = "link in body"
  // The other ways in which pages end, or are asked for.
  case numberTotalPages = "number, totalPages"
  case numberTotalRecords = "number, totalRecords"
  case numberMore = "number, more"
  case numberDone = "number, done"
  case numberShort = "number, until short"
  case offsetTotalRecords = "offset, totalRecords"
  case offsetShort = "offset, until short"
  case cursorMore = "cursor, more"
  case cursorOfLast = "cursor of the last record"
  case cursorInBody = "cursor in a request body"

  static let pageSize = 2

  /// The kinds that the reference names, without variations.
  static let plain: [MatrixPager] = [.none, .number, .offset, .cursor, .next, .linkHeader, .linkInBody]

  var isPlain: Bool { Self.plain.contains(self) }

  /// The value of `pages`.
  var pages: String? {
    switch self {
    case .none: nil
    case .number: "{ number: page }"
    case .offset: "{ offset: skip }"
    case .cursor: #"{ cursor: after, from: body.next }"#
    case .next: #"{ next: body.next }"#
    case .linkHeader: "{ link: next }"
    case .linkInBody: "{ link: { in: link, rel: next } }"
    case .numberTotalPages: #"{ number: page, totalPages: body.pages }"#
    case .numberTotalRecords: #"{ number: page, totalRecords: body.total }"#
    case .numberMore: #"{ number: page, more: body.more }"#
    case .numberDone: #"{ number: page, until: body.done }"#
    case .numberShort: "{ number: page, until: short }"
    case .offsetTotalRecords: #"{ offset: skip, totalRecords: body.total }"#
    case .offsetShort: "{ offset: skip, until: short }"
    case .cursorMore: #"{ cursor: after, from: body.token?, more: body.more }"#
    case .cursorOfLast: #"{ cursor: after, from: last.id, more: body.more }"#
    case .cursorInBody: #"{ cursor: { body: after }, from: body.next }"#
    }
  }

  /// Whether filters and the pager's item are in a body.
  var posts: Bool { self == .cursorInBody }

  /// Whether it is also played with several requests at once: those that look ahead, each in its own way, and two that
  /// don't.
  var overlaps: Bool {
    [.none, .number, .offset, .cursor, .numberTotalPages, .numberShort, .offsetTotalRecords].contains(self)
  }

  /// The requests that it takes to see the end of that many records.
  func requests(for count: Int) -> Int {
    let pages = (count + Self.pageSize - 1) / Self.pageSize
    switch self {
    case .none: return 1
    // An empty page ends them.
    case .number, .offset: return pages + 1
    case .numberShort, .offsetShort: return count <= Self.pageSize || count % Self.pageSize == 0 ? pages + 1 : pages
    default: return max(1, pages)
    }
  }

  /// Whether each answer says in a member or a field that there is more, where there is.
  var showsMore: Bool {
    switch self {
    case .none, .number, .offset, .numberShort, .offsetShort: false
    default: true
    }
  }
}
