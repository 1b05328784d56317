// Signs of more: a response may say that there is more than the job sees. Then the run must not claim to be complete.

package import Wire
import JSONText
import PipelineSpec

extension JobPlan {
  /// Members with which APIs say that there is more: they name the next page, or say whether there is one.
  static let signsOfMore: [JSONPath] =
    [
      "next", "next_page", "next_cursor", "next_token", "next_url", "next_page_url", "next_page_token", "nextPage",
      "nextCursor", "nextToken", "nextLink", "nextPageToken", "nextRecordsUrl", "@odata.nextLink", "LastEvaluatedKey",
      "has_more", "hasMore",
    ].map { [$0] }
    + ["links", "_links", "paging", "pages", "pagination"].map { [$0, "next"] }
    + [
      ["meta", "next_token"], ["meta", "next_cursor"], ["meta", "has_more"], ["pagination", "next_cursor"],
      ["pagination", "has_more"], ["response_metadata", "next_cursor"],
    ]

  /// Returns the sign of more on a stream's first page that the job would not follow, in words; nil if there is none.
  ///
  /// - Parameter pager: the pager after that page.
  package func signOfMore(in page: PageFacts, _ pager: Pager) -> String? {
    guard let pages = job.pages else {
      return Self.sign(page).map { "the response has \($0), but the job has no 'pages': there is more, see 'pages'" }
    }
    // A page without records often lacks such values.
    if page.recordCount > 0, let template = pager.missingOnFirstPage.first {
      return "\(template) in 'pages' is missing on the first page: there may be more"
    }
    // The only page names no next one, which is normal unless the response says that there is more.
    guard pager.namesNoNext, let sign = Self.sign(page) else { return nil }
    return "\(pages.kind.source) finds no next page on the first one, but the response has \(sign): there is more"
  }

  private static func sign(_ page: PageFacts) -> String? {
    let fields = page.fields.values(of: "Link")
    let links = fields.flatMap { WebLink.links(in: $0) }
    if links.contains(where: { $0.relations.contains("next") && $0.isAbout(page.url.text) }) {
      return "a Link header with 'next'"
    }
    if fields.contains(where: { WebLink.isLost("next", in: $0) }) {
      return "a Link header that can't be read, with 'next' in it"
    }
    // A single object may have neighbours.
    let signs = page.recordCount > 1 ? signsOfMore : signsOfMore.filter { $0.steps.count == 1 }
    return signs.first { saysMore($0, page) }.map { sign in
      "'\(sign.steps.count == 1 ? sign.steps[0].name : sign.pointer)'"
    }
  }

  private static func saysMore(_ sign: JSONPath, _ page: PageFacts) -> Bool {
    guard let text = page.captured[sign.pointer] else { return false }
    let value = JSONValue(validated: text[...])
    let isYesOrNo = ["has_more", "hasMore"].contains(sign.steps.last?.name)
    if isYesOrNo { return value.boolean == true }
    return namesSomething(value)
  }

  /// Reports that a value names a next page.
  ///
  /// In HAL and JSON:API the value is an object with an `href`.
  private static func namesSomething(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .object: value["href"].map(namesSomething) ?? (value.text != "{}")
    case .string: !["", "0"].contains(value.string)
    case .number: value.integer.map { $0 > 0 } ?? true
    case .boolean: value.boolean == true
    case .array, .null: false
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
