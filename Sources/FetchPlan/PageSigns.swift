// What a page says about the pages after it, by the templates of `pages`.

import JSONText
import PipelineSpec
import Wire

/// How much there is, as far as the server has said it.
struct Totals: Sendable {
  var pages: Int?
  var records: Int?

  /// A later page may say otherwise; one that says nothing takes nothing back.
  mutating func learn(_ others: Totals) {
    pages = others.pages ?? pages
    records = others.records ?? records
  }
}

/// The values of a page's `totalPages`, `totalRecords`, `more` and `done`.
struct PageSigns {
  private(set) var totals = Totals()
  /// `done` is true, "true" or 1.
  private(set) var isDone = false
  /// `more` is false, "false", 0, null or missing.
  private(set) var isLast = false
  /// The templates that have no value.
  private(set) var missing: [String] = []

  init(_ pages: Pages, _ page: PageFacts, _ scope: Scope) throws(PagingFault) {
    var scope = scope
    scope.page = page
    totals.pages = try total(pages.totalPages, in: scope, page)
    totals.records = try total(pages.totalRecords, in: scope, page)
    if let template = pages.more {
      let value = try value(of: template, in: scope, page)
      isLast = value.map { $0.boolean == false || $0.string == "false" || $0.integer == 0 } ?? true
    }
    if let template = pages.done, let value = try value(of: template, in: scope, page) {
      isDone = value.boolean == true || value.string == "true" || value.integer == 1
    }
  }

  /// A number, or text that is one; nil for what is missing, and for less than nothing, which servers send for "unknown".
  private mutating func total(
    _ template: Template?, in scope: Scope, _ page: PageFacts
  ) throws(PagingFault) -> Int? {
    guard let template, let value = try value(of: template, in: scope, page) else { return nil }
    let text = value.string ?? value.text
    let number = Int(text).map { JSONValue($0) } ?? (try? JSONValue(parsing: Array(text.utf8)))
    guard let number, number.isWholeNumber else {
      let problem = "\(template.spelling) is \(text.prefix(60)), which is no whole number"
      throw PagingFault(page: page.number, url: page.url, problem: problem)
    }
    guard number.text.first != "-" else { return nil }
    return number.integer ?? .max
  }

  private mutating func value(
    of template: Template, in scope: Scope, _ page: PageFacts
  ) throws(PagingFault) -> JSONValue? {
    do {
      for hole in template.holes where try hole.found(in: scope) == nil {
        missing.append(template.spelling)
        return nil
      }
      if let hole = template.onlyHole { return try hole.found(in: scope)?.value }
      return try template.text(in: scope).map { JSONValue($0.text) }
    } catch {
      throw PagingFault(page: page.number, url: page.url, problem: "\(error.template): \(error.problem)")
    }
  }
}
