// A description of `pages`, in sentences.

import FetchPlan
import JSONText
import PipelineSpec

extension Pages {
  /// The way to the next page, and the end of the pages, in words.
  var outline: String {
    var ends = [ending].compactMap { $0 }
    if let more { ends.append(more.statement.map { "or \($0) says no" } ?? "or 'more' does not hold") }
    if let totalPages { ends.append("or \(totalPages.spelling) pages were fetched") }
    if let totalRecords { ends.append("or \(totalRecords.spelling) records were fetched") }
    ends += until.map { end in
      switch end {
      case .short: "or a page has fewer records than the first"
      case .known: "or a page has a record that is not new"
      case .repeated: "or a page comes again"
      case .condition(let condition): condition.statement.map { "or \($0) says yes" } ?? "or 'until' holds"
      }
    }
    if let limit { ends.append("or \(limit) page\(limit == 1 ? " was" : "s were") fetched") }
    if kind == .auto {
      return "as the first answer with a sign of more says" + (limit.map { ", at most \($0)" } ?? "")
    }
    guard let step else { return "one" }
    return "then \(step), until \(ends.joined(separator: ", "))"
  }

  private var step: String? {
    switch kind {
    case .single, .auto: nil
    case .number(let item, let start): "the same with \(item.outline) \(start + 1), \(start + 2), …"
    case .offset(let item, let start): "the same with \(item.outline) \(start) and the number of records so far"
    case .cursor(let item, let from):
      "\(then.map { "'\($0.endpoint.spelling.hidingCredentials)'" } ?? "the same") with \(item.outline) \(from.spelling)"
    case .next(let from): "the URL \(from.spelling.hidingCredentials)"
    case .link(let relation, nil): "the URL of the header 'Link' with rel=\"\(relation)\""
    case .link(let relation, let path?): "the URL of the link '\(relation)' in '\(path)'"
    }
  }

  private var ending: String? {
    switch kind {
    case .single, .auto: nil
    case .number, .offset: "a page has no records"
    case .cursor(_, let from), .next(let from): "\(from.spelling.hidingCredentials) is missing, null or empty"
    case .link: "there is none"
    }
  }
}

extension Pages.PageItem {
  fileprivate var outline: String {
    switch self {
    case .query(let name): "'\(name)' ="
    case .body(let path): "'\(path)' in the body ="
    case .header(let name): "the header '\(name)' ="
    }
  }
}
