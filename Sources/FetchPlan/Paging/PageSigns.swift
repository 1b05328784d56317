// What a page says about the pages after it, by the templates of `pages`.

import JSONText
import PipelineSpec
import Wire

/// The values of a page's `totalPages`, `totalRecords`, `more` and `done`.
struct PageSigns {
  private(set) var totals = PageTotals()
  /// `done` is true, "true" or 1.
  private(set) var isDone = false
  /// What `more` says: no is false, "false", 0, null or missing. Nil without such a template.
  private(set) var saysMore: Bool?
  /// `more` is true, "true" or 1, or `done` is false, "false" or 0: then also an empty page has others behind it.
  private(set) var insistsOnMore = false
  /// The templates that have no value.
  private(set) var missing: [String] = []

  private let secrets: SecretStore

  /// - Parameter secrets: what must not be seen in messages.
  init(_ pages: Pages, _ page: PageFacts, _ scope: TemplateScope, hiding secrets: SecretStore) throws(PagingError) {
    self.secrets = secrets
    totals.pages = try total(pages.totalPages, in: scope, page)
    totals.records = try total(pages.totalRecords, in: scope, page)
    if let template = pages.more {
      let value = try value(of: template, in: scope, page)
      saysMore = value.map { !$0.isNo } ?? false
      insistsOnMore = value?.isYes == true
    }
    if let template = pages.done, let value = try value(of: template, in: scope, page) {
      isDone = value.isYes
      if value.isNo { insistsOnMore = true }
    }
  }

  /// A number, or text that is one; nil for what is missing, and for less than nothing, which servers send for "unknown".
  private mutating func total(
    _ template: Template?, in scope: TemplateScope, _ page: PageFacts
  ) throws(PagingError) -> Int? {
    guard let template, let value = try value(of: template, in: scope, page) else { return nil }
    // What nearly every server says.
    if value.kind == .number, let number = value.integer, number > 0 { return number }
    let text = value.string ?? value.text
    let number = Int(text).map { JSONValue($0) } ?? (try? JSONValue(parsing: Array(text.utf8)))
    guard let number, number.isWholeNumber else {
      let shown = secrets.excerpt(RedactableJSON(JSONValue(text)))
      throw PagingError(page, "\(template.spelling) is \(shown), which is no whole number: see what it reads")
    }
    guard number.text.first != "-" else { return nil }
    return number.integer ?? .max
  }

  private mutating func value(
    of template: Template, in scope: TemplateScope, _ page: PageFacts
  ) throws(PagingError) -> JSONValue? {
    do {
      let value = try template.pageValue(in: scope)?.value
      if value == nil { missing.append(template.spelling) }
      return value
    } catch {
      throw PagingError(page, error)
    }
  }
}

extension JSONValue {
  fileprivate var isYes: Bool { boolean == true || string == "true" || integer == 1 }
  fileprivate var isNo: Bool { boolean == false || string == "false" || integer == 0 }
}

extension Template {
  /// What it reads of a page, with its type if it is one template and nothing else; nil when a part of it is missing.
  func pageValue(in scope: TemplateScope) throws(ParameterError) -> RedactableJSON? {
    if let hole = onlyHole {
      return try hole.found(in: scope).map { RedactableJSON($0.value, redacted: $0.isSecret ? JSONValue("***") : nil) }
    }
    for hole in holes where try hole.found(in: scope) == nil { return nil }
    return try text(in: scope).map { RedactableJSON($0) }
  }

  /// The reference to the next page that it reads: a URL if it is one template and nothing else, otherwise a URL in
  /// which values can't break out of their places. Nil when a part of it is missing, or it is empty or false.
  func pageReference(in scope: TemplateScope) throws(ParameterError) -> Redactable? {
    for hole in holes where !hole.isOptional {
      if try hole.found(in: scope, isURL: onlyHole != nil) == nil { return nil }
    }
    guard let hole = onlyHole else { return try EndpointText.reference(self, in: scope) }
    guard let reading = try hole.found(in: scope, isURL: true), reading.value.boolean != false else { return nil }
    let reference = try hole.text(of: reading, in: scope)
    return reference.text.isEmpty ? nil : reference
  }
}
