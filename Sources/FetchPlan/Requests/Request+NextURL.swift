// Next links of a server, which lead only to origins that the spec's author allowed.

package import Wire

extension Request {
  /// What reads the URL that an answer names, for the advice in messages.
  enum LinkReader: Sendable {
    case pages
    case poll

    /// Advice for a URL that can't be fetched.
    fileprivate var check: String {
      switch self {
      case .pages: "see what 'pages' reads"
      case .poll: "leave 'poll' out, and let the next step poll (the URL is the answer's 'Location')"
      }
    }

    /// Advice for a link from https to http.
    fileprivate var otherWay: String {
      switch self {
      case .pages:
        "page by 'number', 'offset' or 'cursor', if the API can, or write 'ignore: [origin]' if the step's own origin "
          + "has that path, too"
      case .poll: "leave 'poll' out, and let the next step poll"
      }
    }
  }

  /// Returns this request for the URL that an answer names.
  ///
  /// Only the URL changes. Secrets stay at their own origin.
  ///
  /// - Parameter reference: the answer's own text, in which only what a template added is redacted.
  func led(
    to reference: Redactable, from page: PageFacts, by reader: LinkReader = .pages, hiding secrets: SecretStore
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
        "page \(page.number) leads to '\(reference.redacted)', which is not an http or https URL that can be fetched: \(reader.check)"
      )
    }
    // Resolve against the redacted URL too, so that a secret in the path stays hidden.
    let shown = resolve(reference.redacted, against: page.url.redacted) ?? text
    var url = Redactable(text, redacted: secrets.redacting(shown))
    let origin: Origin
    do throws(OriginPolicy.RefusalError) {
      origin = try OriginPolicy.origin(ofLinkTo: target, from: Origin(of: page.url.text), of: self)
    } catch {
      throw PagingError(
        page, "page \(page.number) leads to '\(url.redacted)', \(sentence(for: error, from: page, by: reader))")
    }
    if origin != target {
      url = Redactable(origin.url(like: text), redacted: secrets.redacting(origin.url(like: shown)))
    }
    do {
      let source = reference.isSecret ? nil : Origin(of: page.url.text)
      var request = try sent(to: url, givenBy: source, hiding: secrets.current)
      if origin != target, !staysAtOrigin { request.replacedOrigin = target }
      return request
    } catch {
      let subject = "page \(page.number) leads to '\(url.redacted)', another origin"
      throw PagingError(page, "\(subject), and \(error.words) holds a secret, which is not sent there")
    }
  }

  private func sentence(for refusal: OriginPolicy.RefusalError, from page: PageFacts, by reader: LinkReader) -> String {
    guard case .otherOrigin(let target) = refusal else {
      return "from https to http, where anyone could read it; \(reader.otherWay)"
    }
    let own = Origin(of: self.url.text)?.description ?? self.url.redacted
    return "on another origin than '\(Origin(of: page.url.text)?.description ?? url.redacted)'; add "
      + "'\(target.hostsEntry)' to 'hosts' if it may be asked (it is sent no secrets), or write 'ignore: [origin]' if "
      + "'\(own)' has that path, too"
  }
}

extension Origin {
  /// The origin as `hosts` names it.
  package var hostsEntry: String { scheme == "https" && port == 443 ? host : description }
}

extension OriginPolicy.LeakError {
  /// The part of the request, for a message.
  var words: String { self == .url ? "it" : "the body" }
}

// The address at which a server tells the state of a job that a request has started.

extension Request {
  /// Most bytes of a `Location`: servers take URLs of 8,000 bytes and little more (RFC 9110 §4.1).
  private static let longestLocation = 16_384

  /// Returns the GET for the address that an answer names in `Location` (RFC 9110 §15.3.3); nil for none, and for a GET.
  ///
  /// Another POST would start another job.
  ///
  /// - Throws: `PagingError` if the address may not be requested.
  package func statusRequest(after answer: PageFacts, hiding secrets: SecretStore) throws(PagingError) -> Request? {
    guard method != "GET", method != "HEAD", let location = answer.fields["Location"], !location.isEmpty else {
      return nil
    }
    guard location.utf8.count <= Self.longestLocation else {
      let size = "the answer's 'Location' has \(location.utf8.count) bytes, more than \(Self.longestLocation)"
      throw PagingError(answer, "\(size): leave 'poll' out, and let the next step poll")
    }
    var request = self
    request.method = "GET"
    request.body = nil
    for field in fields.all where field.name.lowercased().hasPrefix("content-") { request.fields.remove(field.name) }
    if retry == .once { request.retry = RetryPolicy() }
    return try request.led(to: Redactable(location), from: answer, by: .poll, hiding: secrets)
  }
}

/// A page from which no next one can follow: the error `paginationLoop` where pages go in circles, else `invalidPage`
/// (exit 3).
package struct PagingError: Error, Hashable, Sendable {
  /// Number of the page, from 1.
  package let page: Int
  package let url: Redactable
  /// The problem and its remedy: `page 3 has the same content as page 2: …; 'ignore: repeats' in the job …`.
  package let problem: String
  /// True if the server repeats an earlier page.
  package let isCircle: Bool
  /// True if the page's URL is that of an earlier page, so that its records must not come out.
  let isSamePage: Bool

  package init(page: Int, url: Redactable, problem: String, isCircle: Bool = false, isSamePage: Bool = false) {
    self.page = page
    self.url = url
    self.problem = problem
    self.isCircle = isCircle
    self.isSamePage = isSamePage
  }

  init(_ page: PageFacts, _ problem: String, isCircle: Bool = false, isSamePage: Bool = false) {
    self.init(page: page.number, url: page.url, problem: problem, isCircle: isCircle, isSamePage: isSamePage)
  }

  init(_ page: PageFacts, _ fault: ParameterError) {
    self.init(page, "\(fault.template): \(fault.problem)")
  }
}
