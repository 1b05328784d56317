// What a spec says about how requests are made.

package import Diagnostics

extension Job {
  /// `retry`: what is not given is nil, and as the fetching room does it.
  package struct Retry: Hashable, Sendable {
    package var attempts: Int?
    package var statuses: [Int]?
    package var wait: Duration?
    package var most: Duration?
    package var total: Duration?
    package init() {}
  }

  /// `rate: 5/s`.
  package struct Rate: Hashable, Sendable {
    package let count: Int
    package let time: Duration
    package init(count: Int, time: Duration) {
      self.count = count
      self.time = time
    }
  }

  /// `auth`: what proves who asks. All of its values are secrets.
  package struct Auth: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      case bearer(Template)
      case basic(user: Template, password: Template?)
      case header([Header])
      case query([Item])
      /// Client credentials (RFC 6749 §4.4).
      case oauth2(token: Template, id: Template, secret: Template, scope: Template?)
      case netrc
    }

    /// A query item.
    package struct Item: Hashable, Sendable {
      package let name: String
      package let value: Template
      package init(name: String, value: Template) {
        self.name = name
        self.value = value
      }
    }

    package let kind: Kind
    package let place: SourcePosition
    /// Where it holds: the file's `base`, for one that stands at the top of a file with steps; nil for the job's endpoint.
    package var base: Template?

    package init(kind: Kind, place: SourcePosition) {
      self.kind = kind
      self.place = place
    }

    package var templates: [Template] {
      switch kind {
      case .bearer(let token): [token]
      case .basic(let user, let password): [user] + (password.map { [$0] } ?? [])
      case .header(let headers): headers.map(\.value)
      case .query(let items): items.map(\.value)
      case .oauth2(let token, let id, let secret, let scope): [token, id, secret] + (scope.map { [$0] } ?? [])
      case .netrc: []
      }
    }

    /// Header fields that it sets, in lower case.
    package var headerNames: Set<String> {
      switch kind {
      case .bearer, .basic, .oauth2, .netrc: ["authorization"]
      case .header(let headers): Set(headers.map { $0.name.lowercased() })
      case .query: []
      }
    }
  }
}
