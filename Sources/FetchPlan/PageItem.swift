// A pager's item takes its place in a request: in the query, or in the JSON body.

import JSONText
import PipelineSpec
import Wire

/// The requests of one stream, which differ in the page's number only. A query is taken apart once for all of them.
struct NumberedRequest: Sendable {
  private let request: Request
  private let item: Pages.PageItem
  private let url: (before: Masked, behind: Masked)

  init(_ request: Request, _ item: Pages.PageItem) {
    self.request = request
    self.item = item
    url = if case .query(let name) = item { SplitURL(request.url).around(name) } else { (request.url, Masked("")) }
  }

  /// The request for a page; nil when the body has no place for the item.
  func number(_ number: Int) -> Request? {
    guard case .query = item else { return request.setting(item, to: number) }
    var numbered = request
    numbered.url = url.before
    numbered.url += Masked(String(number))
    numbered.url += url.behind
    return numbered
  }
}

extension Request {
  /// This request for another page; nil when the body has no place for the item.
  func setting(_ item: Pages.PageItem, to number: Int) -> Request? {
    var request = self
    switch item {
    case .query(let name):
      var split = SplitURL(url)
      split.set(name, to: String(number))
      request.url = split.url
    case .body(let path):
      guard let body = body?.setting(path, to: JSONValue(number)) else { return nil }
      request.body = body
    }
    return request
  }
}

extension Request.Body {
  init(_ json: MaskedJSON) {
    self.init(bytes: Array(json.value.bytes), shown: json.shown.text)
  }

  fileprivate func setting(_ path: JSONPath, to value: JSONValue) -> Request.Body? {
    // Both texts were built from values, and have the same members.
    let own = JSONValue(validated: bytes[...])
    let masked = JSONValue(validated: Array(shown.utf8)[...])
    guard let changed = own.setting(path.steps[...], to: value) else { return nil }
    return Self(MaskedJSON(changed, shown: masked.setting(path.steps[...], to: value) ?? masked))
  }
}

extension JSONValue {
  /// With the value at the end of the path replaced, or added to an object; nil where the way ends before.
  fileprivate func setting(_ steps: ArraySlice<JSONStep>, to value: JSONValue) -> JSONValue? {
    guard let step = steps.first else { return value }
    let rest = steps.dropFirst()
    switch kind {
    case .object:
      let member = self[[step.name]]
      guard let changed = rest.isEmpty ? value : member?.setting(rest, to: value) else { return nil }
      return setting(step.name, to: changed)
    case .array:
      var all = Array(elements)
      guard let index = step.index, all.indices.contains(index) else { return nil }
      guard let changed = all[index].setting(rest, to: value) else { return nil }
      all[index] = changed
      return JSONValue(elements: all)
    case .string, .number, .boolean, .null:
      return nil
    }
  }
}
