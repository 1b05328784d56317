// Adds credentials hop by hop, at their own origin and nowhere else.

import Primitives
package import Wire

/// Adds a request's credentials if the request goes to their origin.
///
/// This layer is inside the one that follows redirects. A hop to another origin gets no credentials, and one that comes
/// back gets them again. A token that the server refuses (401) is renewed once.
package struct AuthTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let tokens: TokenCaches?

  /// Creates the layer around the next transport.
  ///
  /// - Parameters:
  ///   - tokens: source of the tokens; nil in a replay, which needs none.
  package init(_ next: any HTTPTransport, tokens: TokenCaches?) {
    self.next = next
    self.tokens = tokens
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    guard let credentials = request.credentials, Origin(of: request.url.text) == credentials.origin else {
      return try await next.send(request)
    }
    switch credentials.proof {
    case .named(let fields, let items): return try await next.send(request.setting(fields).setting(items))
    case .grant(let grant, let use): return try await send(request, grant, use)
    case .signature(let key):
      var request = request
      request.signingKey = key
      return try await next.send(request)
    }
  }

  private func send(_ request: Request, _ grant: TokenGrant, _ use: TokenUse) async throws(TransportError) -> Reply {
    guard let cache = tokens?[grant] else {
      // The URL in a recording has an item for the token.
      return try await next.send(use.isInQuery ? request.bearing("***", as: use) : request)
    }
    let token = try await cache.token(insteadOf: request.tokenTrace?.refused)
    request.tokenTrace?.use(token.text)
    let reply = try await next.send(request.bearing(token.text, as: use))
    guard reply.head.status == 401 else { return reply }
    reply.body.cancel()
    reply.exchange?.finish()
    return try await next.send(request.bearing(try await cache.token(insteadOf: token.text).text, as: use))
  }
}

extension Request {
  /// Returns the request with header fields in place of others with their names.
  package func setting(_ fields: [HTTPFields.Field]) -> Request {
    var request = self
    for field in fields { request.fields.remove(field.name) }
    for field in fields { request.fields.append(field.name, field.value) }
    return request
  }

  /// Returns the request with a token.
  package func bearing(_ token: String, as use: TokenUse) -> Request {
    switch use {
    case .bearer: setting([HTTPFields.Field(name: "Authorization", value: .secret("Bearer \(token)"))])
    case .named(let fields, let items):
      setting(fields.map { HTTPFields.Field(name: $0.name, value: .secret($0.value(with: token))) })
        .setting(items.map { Credentials.Item(name: $0.name, value: $0.value(with: token.percentEncoded)) })
    }
  }

  /// Adds query items and removes others with their names, since a next link may already contain them.
  package func setting(_ items: [Credentials.Item]) -> Request {
    guard !items.isEmpty else { return self }
    var request = self
    let names = items.map(\.name.percentDecoded)
    func queried(_ url: String, _ value: (Credentials.Item) -> String) -> String {
      let parts = URLParts(url)
      let kept = parts.items.filter { !names.contains($0.name.percentDecoded) }.map { String($0.text) }
      return url[..<parts.path.endIndex] + "?" + (kept + items.map { "\($0.name)=\(value($0))" }).joined(separator: "&")
    }
    request.url = Redactable(queried(url.text, \.value), redacted: queried(url.redacted) { _ in "***" })
    return request
  }
}
