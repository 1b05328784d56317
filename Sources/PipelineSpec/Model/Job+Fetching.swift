// Settings of a spec about sending requests.

package import Diagnostics
package import JSONText

extension Job {
  /// `retry`: nil values take the defaults of `Fetching`.
  package struct Retry: Hashable, Sendable {
    package var attempts: Int?
    package var statuses: [Int]?
    /// Holds for the body of an answer that says "later".
    package var condition: Condition?
    package var wait: Duration?
    package var most: Duration?
    package var total: Duration?
    package init() {}
  }

  /// `rate: 5/s`, the limit of an origin.
  package struct Rate: Hashable, Sendable {
    package let count: Int
    package let time: Duration
    package init(count: Int, time: Duration) {
      self.count = count
      self.time = time
    }
  }

  /// `auth`: the credentials, all of which are secrets.
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
    /// URL of the origin that the credentials are for.
    ///
    /// It is the file's `base` for an `auth` beside `steps`, and nil for the job's own endpoint.
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

    /// Header fields that the credentials set, in lower case.
    package var headerNames: Set<String> {
      switch kind {
      case .bearer, .basic, .oauth2, .netrc: ["authorization"]
      case .header(let headers): Set(headers.map { $0.name.lowercased() })
      case .query: []
      }
    }
  }
}
