// Statements of a page about the following pages, read by the templates of `pages`.

import JSONText
import PipelineSpec
import Wire

/// The values of a page's `totalPages`, `totalRecords`, `more` and `until`.
struct PageSigns {
  private(set) var totals = PageTotals()
  /// Value of `more`: true if there are further pages.
  ///
  /// Nil without `more`.
  private(set) var saysMore: Bool?
  /// True if `until` says that this page is the last, false if it says that there are more; nil if it says nothing.
  private(set) var saysDone: Bool?
  /// The templates that have no value, and need one.
  private(set) var missing: [String] = []

  private let secrets: SecretStore

  /// Reads the values of a page.
  ///
  /// - Parameter secrets: secrets to redact in messages.
  init(_ pages: Pages, _ page: PageFacts, _ scope: TemplateScope, hiding secrets: SecretStore) throws(PagingError) {
    self.secrets = secrets
    totals.pages = try total(pages.totalPages, in: scope, page)
    totals.records = try total(pages.totalRecords, in: scope, page)
    guard pages.hasFlag else { return }
    let answer = AnswerValues(page)
    if let more = pages.more { saysMore = self.saysMore(more, answer) }
    for case .condition(let condition) in pages.until {
      if let path = condition.statement {
        if let says = try isEnd(answer.values(at: path), path, page, condition.isOptional) {
          saysDone = (saysDone ?? false) || says
        }
      } else if condition.holds(for: answer) {
        saysDone = true
      }
    }
  }

  /// Returns what `more` says; nil if it says nothing.
  ///
  /// A bare path says yes or no; a condition only ends the pages.
  private mutating func saysMore(_ condition: Condition, _ answer: AnswerValues) -> Bool? {
    guard let path = condition.statement else { return condition.holds(for: answer) ? nil : false }
    let values = answer.values(at: path).filter { !$0.isNull }
    // `more: last` says that the page has records.
    if answer.values(at: path).isEmpty, path.steps.count > 1, !condition.isOptional { missing.append(path.description) }
    return values.contains(where: \.goesOn)
  }

  /// True if the page says that more pages follow, so that neither a total nor an empty page is the end.
  var insistsOnMore: Bool { saysMore == true || saysDone == false }

  /// Returns whether a bare path in `until` says that the page is the last; nil for a missing value and the empty text.
  private mutating func isEnd(
    _ values: [JSONValue], _ path: JSONPath, _ page: PageFacts, _ isOptional: Bool
  ) throws(PagingError) -> Bool? {
    if values.isEmpty, !isOptional { missing.append(path.description) }
    guard let value = values.first(where: { !$0.isNull }), value.string != "" else { return nil }
    if let answer = value.yesOrNo { return answer }
    let shown = secrets.excerpt(RedactableJSON(value))
    throw PagingError(
      page,
      "'\(path)' is \(shown), and a bare path in 'until' takes true or 1 for the end, false or 0 for more: write what it is at "
        + "the end, as 'until: { \(path): DONE }'; 'poll' waits for a server that is still at work")
  }

  /// Returns the number in a value, which may be a text.
  ///
  /// Nil for a missing value, and for a negative number, which servers send for "unknown".
  private mutating func total(
    _ template: Template?, in scope: TemplateScope, _ page: PageFacts
  ) throws(PagingError) -> Int? {
    guard let template, let value = try value(of: template, in: scope, page) else { return nil }
    // Fast path for nearly every server.
    if value.kind == .number, let number = value.integer, number > 0 { return number }
    let text = value.string ?? value.text
    let number = Int(text).map { JSONValue($0) } ?? (try? JSONValue(parsing: Array(text.utf8)))
    guard let number, number.isWholeNumber else {
      let shown = secrets.excerpt(RedactableJSON(JSONValue(text)))
      throw PagingError(
        page, "\(template.spelling) is \(shown), which is not a whole number: correct 'totalPages' or 'totalRecords'")
    }
    guard number.text.first != "-" else { return nil }
    return number.integer ?? .max
  }

  private mutating func value(
    of template: Template, in scope: TemplateScope, _ page: PageFacts
  ) throws(PagingError) -> JSONValue? {
    do {
      let value = try template.pageValue(in: scope)?.value
      if value == nil, template.holes.contains(where: { !$0.isOptional }) { missing.append(template.spelling) }
      return value
    } catch {
      throw PagingError(page, error)
    }
  }
}

extension Pages {
  /// True if the pages start at the beginning of the list.
  var startsAtFirst: Bool {
    switch kind {
    case .number(_, let start), .offset(_, let start): start <= 1
    case .single, .auto, .cursor, .next, .link: true
    }
  }

  /// True if the pages go by `number` from 1, as they do in most APIs.
  var isFrom1: Bool {
    if case .number(_, start: 1) = kind { true } else { false }
  }
}

extension JSONValue {
  /// Value of a boolean, of 1 or 0, or of a text that spells one of these; nil for everything else.
  package var yesOrNo: Bool? {
    if boolean == true || integer == 1 || string == "true" || string == "1" { return true }
    if boolean == false || integer == 0 || string == "false" || string == "0" { return false }
    return nil
  }

  /// True if the value, read by `more`, says that there are more pages: any value but a plain no, since it may be a
  /// token.
  fileprivate var goesOn: Bool { yesOrNo ?? (string != "" && !isNull) }

  /// True if the value names no next page, so that `from` and `next` end as without a value.
  fileprivate var namesNothing: Bool { isNull || boolean == false || string == "" }
}

extension Template {
  /// Returns the value that the template reads from a page; nil if a part of it is missing.
  ///
  /// A single template keeps the type of its value.
  func pageValue(in scope: TemplateScope) throws(ParameterError) -> RedactableJSON? {
    if let hole = onlyHole {
      return try hole.found(in: scope).map { RedactableJSON($0.value, redacted: $0.isSecret ? JSONValue("***") : nil) }
    }
    for hole in holes where try hole.found(in: scope) == nil { return nil }
    return try text(in: scope).map { RedactableJSON($0) }
  }

  /// Returns the cursor of the next page, as `pageValue` does; nil if a part of it names no page.
  func pageCursor(in scope: TemplateScope) throws(ParameterError) -> RedactableJSON? {
    try namesNext(in: scope) ? pageValue(in: scope) : nil
  }

  /// Returns the reference to the next page; nil if a part of it names no page.
  ///
  /// A template without other text gives a whole URL. In other templates, a value may be the path and the query, or the
  /// start of the URL; other values can't break out of their places.
  func pageReference(in scope: TemplateScope) throws(ParameterError) -> Redactable? {
    guard try namesNext(in: scope) else { return nil }
    guard let hole = onlyHole else { return try EndpointText.reference(self, in: scope, isLink: true) }
    guard let reading = try hole.found(in: scope, isURL: true) else { return nil }
    let reference = try hole.text(of: reading, in: scope)
    return reference.text.isEmpty ? nil : reference
  }

  /// Reports that each required part names something.
  ///
  /// Beside other text, a part with a default or a `?` is not required.
  private func namesNext(in scope: TemplateScope) throws(ParameterError) -> Bool {
    for hole in holes where onlyHole != nil || !hole.isOptional && hole.fallback == nil {
      guard let reading = try hole.found(in: scope, isURL: onlyHole != nil) else { return false }
      if reading.value.namesNothing { return false }
    }
    return true
  }
}

/// The numbers of pages and records that the server has announced.
struct PageTotals: Hashable, Sendable {
  var pages: Int?
  var records: Int?
  /// The highest number of pages that any page has given.
  ///
  /// A total that shrinks may count the remaining pages. So the stream ends only when the highest total is reached.
  var mostPages: Int?
  var mostRecords: Int?

  /// Updates the totals from a later page; a missing value keeps the previous one.
  ///
  /// A total of records that falls by just those that came before counts what is left, as in a keyset: the whole stays.
  ///
  /// - Parameters:
  ///   - all: number of records so far.
  ///   - before: the same, without those of this page.
  mutating func learn(_ others: PageTotals, all: Int, before: Int) {
    pages = Self.total(others.pages, pages, all)
    let isRest = others.records.map { $0 > 0 && $0 + before == mostRecords } ?? false
    records = isRest ? mostRecords : Self.total(others.records, records, all)
    mostPages = pages.map { max($0, mostPages ?? 0) }
    mostRecords = records.map { max($0, mostRecords ?? 0) }
  }

  /// Returns the new total.
  ///
  /// Servers also send 0 for "unknown", and on a page beyond the last one. So 0 is ignored once records have come.
  private static func total(_ total: Int?, _ known: Int?, _ all: Int) -> Int? {
    total == 0 && all > 0 ? known : total ?? known
  }
}
