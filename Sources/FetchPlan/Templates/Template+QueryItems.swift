// `query`: names and values with all but unreserved characters percent-encoded; a list repeats the item.

import JSONText
import PipelineSpec
import Wire

extension Job.QueryItem {
  /// Returns `name=value` for each value; missing optional values are left out.
  func encoded(in scope: TemplateScope) throws(ParameterError) -> [Redactable] {
    var items: [Redactable] = []
    for value in values {
      for text in try value.queryTexts(in: scope) {
        var item = Redactable("\(name.percentEncoded)=")
        item += text
        items.append(item)
      }
    }
    return items
  }
}

extension TemplateValue {
  fileprivate func queryTexts(in scope: TemplateScope) throws(ParameterError) -> [Redactable] {
    switch self {
    case .constant(let value, let spelling):
      return value.isNull ? [] : [Redactable(spelling.percentEncoded)]
    case .string(let template):
      return try template.queryTexts(in: scope)
    case .list(let values):
      var texts: [Redactable] = []
      for value in values { texts += try value.queryTexts(in: scope) }
      return texts
    case .map:
      // The spec decoder refuses maps: APIs do not agree on their meaning.
      return []
    }
  }
}

extension Template {
  fileprivate func queryTexts(in scope: TemplateScope) throws(ParameterError) -> [Redactable] {
    guard let hole = onlyHole else {
      return try text(in: scope, literals: \.percentEncoded, encoded: \.percentEncoded).map { [$0] } ?? []
    }
    guard let reading = try hole.reading(in: scope) else { return [] }
    let values = reading.value.kind == .array ? Array(reading.value.elements).map { ResolvedValue($0) } : [reading]
    var texts: [Redactable] = []
    for value in values where !value.value.isNull {
      texts.append(try hole.text(of: value, in: scope, encoded: \.percentEncoded))
    }
    return texts
  }
}
