// `query`: names and values percent-encoded, all but unreserved characters; a list repeats the item.

import JSONText
import PipelineSpec
import Wire

extension Job.QueryItem {
  /// `name=value`, once a value; optional ones that are missing are left out.
  func encoded(in scope: Scope) throws(ParameterFault) -> [Masked] {
    var items: [Masked] = []
    for value in values {
      for text in try value.queryTexts(in: scope) {
        var item = Masked("\(name.percentEncoded)=")
        item += text
        items.append(item)
      }
    }
    return items
  }
}

extension TemplateValue {
  fileprivate func queryTexts(in scope: Scope) throws(ParameterFault) -> [Masked] {
    switch self {
    case .constant(let value, let spelling):
      return value.isNull ? [] : [Masked(spelling.percentEncoded)]
    case .string(let template):
      return try template.queryTexts(in: scope)
    case .list(let values):
      var texts: [Masked] = []
      for value in values { texts += try value.queryTexts(in: scope) }
      return texts
    case .map:
      // The spec reader refuses maps: no API agrees with another on what they would mean.
      return []
    }
  }
}

extension Template {
  fileprivate func queryTexts(in scope: Scope) throws(ParameterFault) -> [Masked] {
    guard let hole = onlyHole else {
      return try text(in: scope, literals: \.percentEncoded, encoded: \.percentEncoded).map { [$0] } ?? []
    }
    guard let reading = try hole.reading(in: scope) else { return [] }
    let values = reading.value.kind == .array ? Array(reading.value.elements).map { Reading($0) } : [reading]
    var texts: [Masked] = []
    for value in values where !value.value.isNull {
      texts.append(try hole.text(of: value, in: scope, encoded: \.percentEncoded))
    }
    return texts
  }
}
