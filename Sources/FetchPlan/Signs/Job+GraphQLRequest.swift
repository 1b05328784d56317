// GraphQL in a job's request.

import JSONText
import PipelineSpec

extension Job {
  /// The text of a GraphQL query, with its templates as they are spelled; nil where the request has none.
  private var graphQLQuery: String? { queryInBody ?? queryInURL ?? queryInText }

  /// The item `query` of a GET (GraphQL over HTTP), if its value has a selection.
  private var queryInURL: String? {
    guard let values = query.last(where: { $0.name == "query" })?.values, values.count == 1,
      case .string(let template) = values[0], template.spelling.contains("{")
    else { return nil }
    return template.spelling
  }

  /// A `text` that is a JSON object with a member `query`.
  private var queryInText: String? {
    guard let spelling = text?.spelling, spelling.drop(while: \.isWhitespace).first == "{",
      spelling.contains("\"query\"")
    else { return nil }
    return spelling
  }

  private var queryInBody: String? {
    guard case .map(let members)? = body, let query = members.last(where: { $0.name == "query" })?.value,
      case .string(let template) = query
    else { return nil }
    return template.spelling
  }

  /// True if the job asks by GraphQL, and reads the answer's `data`.
  package var isGraphQL: Bool { graphQLQuery != nil && readsData }

  /// True if the content is in the root's `data`, or may be.
  private var readsData: Bool {
    contentIdentifier.map { $0.contentShape?.steps.first?.name == "data" } ?? true
  }

  /// The variable that takes the cursor of the next page: `$cursor` of `issues(after: $cursor)`, or `after`.
  var graphQLVariable: String? {
    guard let query = queryInBody, query.contains("{") else { return nil }
    for range in query.ranges(of: "after:") {
      let rest = query[range.upperBound...].drop { $0 == " " }
      let name = rest.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      if rest.first == "$", !name.isEmpty { return String(name) }
    }
    return "after"
  }

  var hasVariables: Bool {
    guard case .map(let members)? = body else { return false }
    return members.contains { if case .map = $0.value, $0.name == "variables" { true } else { false } }
  }
}
