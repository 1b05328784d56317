// Where the server says that the next page is: only where the spec's author allowed it to lead.

import Wire

extension Request {
  /// This request for the URL that a page names. Only the URL changes; secrets stay at this request's own origin.
  func led(to reference: Masked, from page: PageFacts) throws(PagingFault) -> Request {
    guard let text = resolve(reference.text, against: page.url.text), let target = Origin(of: text) else {
      throw PagingFault(
        page, "page \(page.number) leads to '\(reference.shown)', which is no http or https URL that can be fetched")
    }
    // Resolved against what may be shown, so that a secret in the path stays hidden.
    let url = Masked(text, shown: resolve(reference.shown, against: page.url.shown))
    if let problem = refusal(of: target, from: Origin(of: page.url.text)) {
      throw PagingFault(page, "page \(page.number) leads to '\(url.shown)', \(problem)")
    }
    var request = self
    request.url = url
    if target != Origin(of: self.url.text) { try request.leaveOrigin(after: page) }
    return request
  }

  /// Why the next page may not be there; nil when it may.
  private func refusal(of target: Origin, from current: Origin?) -> String? {
    if current?.scheme == "https", target.scheme == "http" {
      return "from https to http, where anyone could read it; page by 'number', 'offset' or 'cursor', if the API can"
    }
    guard target != current, target != Origin(of: url.text), !allowedOrigins.contains(target) else { return nil }
    let isStandard = target.scheme == "https" && target.port == 443
    return "on another origin than '\(current?.description ?? url.shown)'; add "
      + "'\(isStandard ? target.host : target.description)' to 'hosts' if it may be asked (it is sent no secrets)"
  }

  /// A secret is bound to its origin. A header can be left out; half a body, or half a URL, can't.
  private mutating func leaveOrigin(after page: PageFacts) throws(PagingFault) {
    let isSecret = url.isSecret || body.map { $0.shown != String(decoding: $0.bytes, as: UTF8.self) } ?? false
    if isSecret {
      let what = url.isSecret ? "it" : "the body"
      let place = "page \(page.number) leads to '\(url.shown)', another origin"
      throw PagingFault(page, "\(place), and \(what) holds a secret, which is not sent there")
    }
    fields.removeSecrets()
    for name in ["Authorization", "Cookie", "Proxy-Authorization"] { fields.remove(name) }
  }
}
