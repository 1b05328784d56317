// GraphQL in a job's request.

import JSONText
import PipelineSpec

extension Job {
  /// True if the job asks by GraphQL, and reads the answer's `data`.
  package var isGraphQL: Bool { graphQLQuery != nil && readsData }

  /// True if the content is in the root's `data`, or may be.
  private var readsData: Bool {
    contentIdentifier.map { $0.contentShape?.steps.first?.name == "data" } ?? true
  }

  /// The variable that takes the cursor of the next page: `$cursor` of `issues(after: $cursor)`, or `after`.
  var graphQLVariable: String? {
    guard let query = graphQLInBody, query.contains("{") else { return nil }
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
