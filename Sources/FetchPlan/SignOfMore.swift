// A response may say that there is more where the job would not see it. Then the run must not claim to be complete.

package import Wire
import JSONText
import PipelineSpec

extension JobPlan {
  /// Root members by which APIs say that there is more.
  static let nextMembers = ["next", "next_page", "next_cursor", "nextPageToken", "@odata.nextLink", "has_more"]

  /// What a stream's first page says of more, in words; nil when there is no sign of it.
  ///
  /// - Parameter missing: templates of `pages` that have no value on that page, as the spec spells them.
  package func signOfMore(in page: PageFacts, missing: [String]) -> String? {
    if let template = missing.first {
      return "\(template) in 'pages' is missing on the first page: there may be more"
    }
    guard job.pages == nil else { return nil }
    if page.fields.values(of: "Link").contains(where: Self.hasNext) {
      return "the response has a Link header with 'next', but the job has no 'pages': there is more"
    }
    guard let member = Self.nextMembers.first(where: { Self.saysMore($0, page) }) else { return nil }
    return "the response has '\(member)', but the job has no 'pages': there is more"
  }

  private static func saysMore(_ member: String, _ page: PageFacts) -> Bool {
    guard let text = page.captured[JSONPath([member]).pointer] else { return false }
    let value = JSONValue(validated: text[...])
    return member == "has_more" ? value.boolean == true : !value.isNull && value.string != "" && value.boolean != false
  }

  /// RFC 8288 §3: `rel` with or without quotes, perhaps of several relations.
  private static func hasNext(_ link: String) -> Bool {
    link.lowercased().split(separator: ";").contains { parameter in
      let words = parameter.split { " \t\"=,".contains($0) }
      return words.first == "rel" && words.dropFirst().prefix { !$0.hasPrefix("<") }.contains("next")
    }
  }
}
