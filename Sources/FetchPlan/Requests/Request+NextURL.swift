// Next links of a server, which lead only to origins that the spec's author allowed.

import Wire

extension Request {
  /// Returns this request for the URL that a page names.
  ///
  /// Only the URL changes. Secrets stay at this request's own origin.
  func led(
    to reference: Redactable, from page: PageFacts, hiding secrets: SecretStore
  ) throws(PagingError) -> Request {
    guard let text = resolve(reference.text, against: page.url.text), let target = Origin(of: text) else {
      if let shown = withoutUserInfo(reference.redacted) {
        throw PagingError(
          page,
          "page \(page.number) leads to '\(shown)', with a user name in the URL, which is not followed: give credentials by 'auth'"
        )
      }
      throw PagingError(
        page,
        "page \(page.number) leads to '\(reference.redacted)', which is no http or https URL that can be fetched: see what 'pages' reads"
      )
    }
    // Resolve against the redacted URL too, so that a secret in the path stays hidden.
    let url = Redactable(text, redacted: resolve(reference.redacted, against: page.url.redacted))
    do throws(OriginPolicy.RefusalError) {
      try OriginPolicy.checkLink(to: target, from: Origin(of: page.url.text), of: self)
    } catch {
      throw PagingError(page, "page \(page.number) leads to '\(url.redacted)', \(sentence(for: error, from: page))")
    }
    do {
      return try sent(to: url, hiding: secrets.current)
    } catch {
      let place = "page \(page.number) leads to '\(url.redacted)', another origin"
      throw PagingError(page, "\(place), and \(error.words) holds a secret, which is not sent there")
    }
  }

  private func sentence(for refusal: OriginPolicy.RefusalError, from page: PageFacts) -> String {
    guard case .otherOrigin(let target) = refusal else {
      return "from https to http, where anyone could read it; page by 'number', 'offset' or 'cursor', if the API can"
    }
    return "on another origin than '\(Origin(of: page.url.text)?.description ?? url.redacted)'; add "
      + "'\(target.hostsEntry)' to 'hosts' if it may be asked (it is sent no secrets)"
  }
}

extension Origin {
  /// The origin as `hosts` names it.
  var hostsEntry: String { scheme == "https" && port == 443 ? host : description }
}

extension OriginPolicy.LeakError {
  /// The part of the request, for a message.
  var words: String { self == .url ? "it" : "the body" }
}
