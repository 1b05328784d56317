// One HTTP exchange as the rooms hand it to each other.

/// A request, complete and checked: nothing in it is a template any more.
package struct Request: Sendable, Hashable {
  package var method: String
  /// Absolute, http or https, no fragment.
  package var url: Redactable
  /// Fields with secrets are `isSecret`: they are not sent to another origin.
  package var fields: HTTPFields
  package var body: Body?
  /// Time without progress (fewer than 1,024 bytes) after which the exchange fails.
  package var timeout: Duration
  /// Most bytes of the decoded response body.
  package var bodyLimit: Int
  /// Whether the body is wanted as the bytes that the server has, not compressed for the way.
  package var isFile: Bool = false
  /// Origins of the job: its own and those in `hosts`. Redirects have rules of their own and do not look here.
  package var allowedOrigins: Set<Origin>
  package var retry: RetryPolicy
  /// The job's own; others may hold for the origin as well.
  package var rate: Rate?
  package var credentials: Credentials?
  /// Whether it must not be sent to this machine or a private network, whatever name the host has there.
  package var refusesPrivatePeers = false
  /// Whether it must not be sent on a connection that has been used before.
  package var wantsFreshConnection = false
  /// Whether the reply is a secret as a whole: a token.
  package var hidesReply = false

  package struct Body: Sendable, Hashable {
    package var bytes: [UInt8]
    /// As JSON text with `***` in place of secrets.
    package var redacted: String
    package init(bytes: [UInt8], redacted: String) {
      self.bytes = bytes
      self.redacted = redacted
    }
  }

  package init(
    method: String, url: Redactable, fields: HTTPFields = HTTPFields(), body: Body? = nil,
    timeout: Duration = .seconds(30), bodyLimit: Int = 4_000_000_000, allowedOrigins: Set<Origin> = [],
    retry: RetryPolicy = .once, rate: Rate? = nil, credentials: Credentials? = nil
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.timeout = timeout
    self.bodyLimit = bodyLimit
    self.allowedOrigins = allowedOrigins
    self.retry = retry
    self.rate = rate
    self.credentials = credentials
  }
}

extension Request {
  /// Whether the server may be given it twice, when nobody knows what became of the first: RFC 9110 §9.2.2, or who wrote the
  /// job says so.
  package var mayBeRepeated: Bool { method == "GET" || method == "HEAD" || retry.attempts > 1 }
}
