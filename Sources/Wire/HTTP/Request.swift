// An HTTP request as the rooms exchange it.

/// A complete and validated request, without templates.
package struct Request: Sendable, Hashable {
  package var method: String
  /// Absolute http or https URL without a fragment.
  package var url: Redactable
  /// Header fields; a field that `isSecret` is not sent to another origin.
  package var fields: HTTPFields
  package var body: Body?
  private var shared: SharedSettings
  /// True if the request must not go to this machine or a private network, whatever the host's name is.
  package var refusesPrivatePeers = false
  /// True if the request must not use a connection that has been used before.
  package var wantsFreshConnection = false
  /// True if the whole reply is a secret, such as a token.
  package var hidesReply = false
  /// The page or other purpose of the request, for messages.
  package var purpose = Purpose()

  /// The job, page and attempt that a request belongs to.
  package struct Purpose: Sendable, Hashable {
    /// Name of the job; empty for a request that serves all jobs, such as that of a token.
    package var job = ""
    /// Number of the job in the run, from 1; 0 for a request that serves all jobs.
    package var step = 0
    /// Number of the page in its stream, from 1; nil if the request is not for a page.
    package var page: Int?
    /// Number of the attempt, from 1.
    package var attempt = 1
    /// Time that this attempt has waited for a rate or a pause of its origin, and time since the previous attempt.
    package var (waitedForRate, waitedForRetry): (Duration, Duration) = (.zero, .zero)

    package init(job: String = "", step: Int = 0) {
      self.job = job
      self.step = step
    }
  }

  package typealias Body = RequestBody

  package init(
    method: String, url: Redactable, fields: HTTPFields = HTTPFields(), body: Body? = nil,
    timeout: Duration = .seconds(30), bodyLimit: Int = 4_000_000_000, allowedOrigins: Set<Origin> = [],
    retry: RetryPolicy = .once, rate: Rate? = nil, credentials: Credentials? = nil
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    shared = SharedSettings(
      RequestSettings(
        timeout: timeout, bodyLimit: bodyLimit, allowedOrigins: allowedOrigins, retry: retry, rate: rate,
        credentials: credentials))
  }
}

extension Request {
  /// True if the request may be sent twice when the first outcome is unknown (RFC 9110 §9.2.2, or the job allows it).
  package var mayBeRepeated: Bool { method == "GET" || method == "HEAD" || retry.attempts > 1 }
}

extension Request {
  /// The problem with a body over the limit.
  package var tooLong: String { Self.tooLong(bodyLimit) }

  package static func tooLong(_ limit: Int) -> String {
    "the body is longer than bodyLimit, \(limit) bytes; give a larger one if it may be"
  }
}

// MARK: What is the same for all requests of a job

extension Request {
  /// Time without progress (fewer than 1,024 bytes) after which the exchange fails.
  package var timeout: Duration {
    get { shared.settings.timeout }
    set { shared = shared.with(\.timeout, newValue) }
  }

  /// Limit for the decoded response body, in bytes.
  package var bodyLimit: Int {
    get { shared.settings.bodyLimit }
    set { shared = shared.with(\.bodyLimit, newValue) }
  }

  /// True if the body is wanted as the server stores it, not compressed for the transfer.
  package var isFile: Bool {
    get { shared.settings.isFile }
    set { shared = shared.with(\.isFile, newValue) }
  }

  /// True if a successful body is a gzip file, whose content is wanted.
  package var isPacked: Bool {
    get { shared.settings.isPacked }
    set { shared = shared.with(\.isPacked, newValue) }
  }

  /// Origins of the job: its own and those in `hosts`.
  ///
  /// Redirects have their own rules and ignore this set.
  package var allowedOrigins: Set<Origin> { shared.settings.allowedOrigins }

  /// The rules for further attempts.
  package var retry: RetryPolicy {
    get { shared.settings.retry }
    set { shared = shared.with(\.retry, newValue) }
  }

  /// Rate of the job; the origin may have other limits as well.
  package var rate: Rate? { shared.settings.rate }

  /// Credentials for requests to their own origin.
  package var credentials: Credentials? {
    get { shared.settings.credentials }
    set { shared = shared.with(\.credentials, newValue) }
  }

  /// Key with which the request is signed when it is sent; it is set only for a request to its origin.
  package var signingKey: SigningKey? {
    get { shared.settings.signingKey }
    set { shared = shared.with(\.signingKey, newValue) }
  }

  /// Files for TLS, which only connections to their own origins use.
  package var tlsFiles: TLSFiles? {
    get { shared.settings.tlsFiles }
    set { shared = shared.with(\.tlsFiles, newValue) }
  }

  /// Name of the header field that carries the cursor; requests that differ only in it are for different pages.
  package var cursorField: String? {
    get { shared.settings.cursorField }
    set { shared = shared.with(\.cursorField, newValue) }
  }
}
