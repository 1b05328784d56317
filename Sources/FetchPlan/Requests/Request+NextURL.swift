// Where the server says that the next page is: only where the spec's author allowed it to lead.

import Wire

extension Request {
  /// This request for the URL that a page names. Only the URL changes; secrets stay at this request's own origin.
  func led(
    to reference: Redactable, from page: PageFacts, hiding secrets: SecretStore
  ) throws(PagingError) -> Request {
    guard let text = resolve(reference.text, against: page.url.text), let target = Origin(of: text) else {
      if let shown = withoutUserInfo(reference.redacted) {
        throw PagingError(
          page, "page \(page.number) leads to '\(shown)', with a user name in the URL, which is not followed")
      }
      throw PagingError(
        page, "page \(page.number) leads to '\(reference.redacted)', which is no http or https URL that can be fetched")
    }
    // Resolved against what may be shown, so that a secret in the path stays hidden.
    let url = Redactable(text, redacted: resolve(reference.redacted, against: page.url.redacted))
    if let problem = refusal(of: target, from: Origin(of: page.url.text)) {
      throw PagingError(page, "page \(page.number) leads to '\(url.redacted)', \(problem)")
    }
    do {
      return try sent(to: url, hiding: secrets)
    } catch {
      let place = "page \(page.number) leads to '\(url.redacted)', another origin"
      throw PagingError(page, "\(place), and \(error.place) holds a secret, which is not sent there")
    }
  }

  /// What of a request holds a secret that can't be left out.
  struct Leak: Error {
    let place: String
  }

  /// This request for another URL: at another origin, without secrets.
  func sent(to url: Redactable, hiding secrets: SecretStore) throws(Leak) -> Request {
    var request = self
    request.url = url
    return Origin(of: url.text) == Origin(of: self.url.text) ? request : try request.withoutSecrets(secrets)
  }

  /// As it may be sent to another origin than the secrets' own. A header can be left out; half a body, or half a URL,
  /// can't.
  func withoutSecrets(_ secrets: SecretStore) throws(Leak) -> Request {
    var request = self
    if secrets.stand(in: url) { throw Leak(place: "it") }
    if let body, secrets.stand(in: Redactable(String(decoding: body.bytes, as: UTF8.self), redacted: body.redacted)) {
      throw Leak(place: "the body")
    }
    let always = ["authorization", "cookie", "proxy-authorization"]
    let others = fields.all.filter { !always.contains($0.name.lowercased()) && !secrets.stand(in: $0.value) }
    request.fields = HTTPFields(others)
    return request
  }

  /// Why the next page may not be there; nil when it may.
  private func refusal(of target: Origin, from current: Origin?) -> String? {
    if current?.scheme == "https", target.scheme == "http" {
      return "from https to http, where anyone could read it; page by 'number', 'offset' or 'cursor', if the API can"
    }
    guard target != current, target != Origin(of: url.text), !allowedOrigins.contains(target) else { return nil }
    let isStandard = target.scheme == "https" && target.port == 443
    return "on another origin than '\(current?.description ?? url.redacted)'; add "
      + "'\(isStandard ? target.host : target.description)' to 'hosts' if it may be asked (it is sent no secrets)"
  }
}

extension SecretStore {
  /// Whether the text holds a secret that was put in, or one that came some other way: by a record, by the server.
  fileprivate func stand(in text: Redactable) -> Bool { text.isSecret || redacting(text.text) != text.text }
}
