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

/// The head of a response.
package struct ReplyHead: Sendable, Hashable {
  package let status: Int
  package let fields: HTTPFields
  /// The URL that answered, after redirects.
  package let url: Redactable
  /// The address that answered; nil when that is not known, as behind a proxy.
  package var peer: String?

  package init(status: Int, fields: HTTPFields, url: Redactable) {
    self.status = status
    self.fields = fields
    self.url = url
  }
}

/// What one fetched page says: all that a pager may look at.
package struct PageFacts: Sendable {
  /// Pages of this stream so far, this one included: 1 for the first.
  package var number: Int
  package var status: Int
  package var url: Redactable
  package var fields: HTTPFields
  /// Records in the page.
  package var recordCount: Int
  /// What the server counts: the records, and with a `*` in the content's path also the elements that are null there and
  /// give none.
  package var itemCount: Int
  /// Equal exactly when two pages of a stream have the same content, byte for byte (for all that a hash can say).
  package var contentHash: Int
  /// The compact JSON text of each captured `body` path of the job's `pages` templates; absent paths are not there.
  /// Keyed by the path's JSON Pointer.
  package var captured: [String: [UInt8]]
  /// Of absent paths, those that lead into a string, number or boolean that says something: which one, and what it is
  /// (`'/links/next' is a string`).
  package var blockedPaths: [String: String]
  /// The same of the paths that the job's templates read in the page's last record, as the server sent it.
  package var last: [String: [UInt8]]

  package init(
    number: Int, status: Int, url: Redactable, fields: HTTPFields, recordCount: Int, itemCount: Int? = nil,
    contentHash: Int, captured: [String: [UInt8]], blockedPaths: [String: String] = [:], last: [String: [UInt8]] = [:]
  ) {
    self.number = number
    self.status = status
    self.url = url
    self.fields = fields
    self.recordCount = recordCount
    self.itemCount = itemCount ?? recordCount
    self.contentHash = contentHash
    self.captured = captured
    self.blockedPaths = blockedPaths
    self.last = last
  }
}
