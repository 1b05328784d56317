// An HTTP request as the rooms exchange it.

import Primitives

/// A complete and validated request, without templates.
///
/// A request is copied many times a page, so its values are behind references.
package struct Request: Sendable, Hashable {
  package typealias Body = RequestBody

  private var parts: SharedParts
  private var settings: SharedSettings

  package init(
    method: String, url: Redactable, fields: HTTPFields = HTTPFields(), body: Body? = nil,
    timeout: Duration = .seconds(30), bodyLimit: Int = 4_000_000_000, allowedOrigins: Set<Origin> = [],
    retry: RetryPolicy = .once, rate: Rate? = nil, credentials: Credentials? = nil, secretsOrigin: Origin? = nil
  ) {
    parts = SharedParts(RequestParts(method: method, url: url, fields: fields, body: body))
    settings = SharedSettings(
      RequestSettings(
        timeout: timeout, bodyLimit: bodyLimit, allowedOrigins: allowedOrigins, retry: retry, rate: rate,
        credentials: credentials, secretsOrigin: secretsOrigin))
  }

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
}

// MARK: What is of one request

extension Request {
  package var method: String {
    get { parts.value.method }
    set { change { $0.method = newValue } }
  }

  /// Absolute http or https URL without a fragment.
  package var url: Redactable {
    get { parts.value.url }
    set { change { $0.url = newValue } }
  }

  /// The URL of every page, with a stand-in for the number of the page; nil if no path has it.
  package var pageURL: Redactable? {
    get { parts.value.pageURL }
    set { change { $0.pageURL = newValue } }
  }

  /// Header fields; a field that `isSecret` is not sent to another origin.
  package var fields: HTTPFields {
    get { parts.value.fields }
    set { change { $0.fields = newValue } }
  }

  package var body: Body? {
    get { parts.value.body }
    set { change { $0.body = newValue } }
  }

  /// True if the request must not go to this machine or a private network, whatever the host's name is.
  package var refusesPrivatePeers: Bool {
    get { parts.value.refusesPrivatePeers }
    set { change { $0.refusesPrivatePeers = newValue } }
  }

  /// True if the request must not use a connection that has been used before.
  package var wantsFreshConnection: Bool {
    get { parts.value.wantsFreshConnection }
    set { change { $0.wantsFreshConnection = newValue } }
  }

  /// True if the request is sent by HTTP/1.1, whose framing says where a body ends.
  package var refusesHTTP2: Bool {
    get { parts.value.refusesHTTP2 }
    set { change { $0.refusesHTTP2 = newValue } }
  }

  /// True if the whole reply is a secret, such as a token.
  package var hidesReply: Bool {
    get { parts.value.hidesReply }
    set { change { $0.hidesReply = newValue } }
  }

  /// Origin that a next link named, if the job's own scheme and port were used in their place.
  package var replacedOrigin: Origin? {
    get { parts.value.replacedOrigin }
    set { change { $0.replacedOrigin = newValue } }
  }

  /// The page or other purpose of the request, for messages.
  package var purpose: Purpose {
    get { parts.value.purpose }
    set { change { $0.purpose = newValue } }
  }

  /// Returns the request for a page or another purpose, with another text to show for its URL.
  package func with(purpose: Purpose, redactedURL: String) -> Request {
    var request = self
    request.change { ($0.purpose, $0.url.redacted) = (purpose, redactedURL) }
    return request
  }

  private mutating func change(_ change: (inout RequestParts) -> Void) {
    var changed = parts.value
    change(&changed)
    parts = SharedParts(changed)
  }
}

extension Request {
  /// True if the request may be sent twice when the first outcome is unknown (RFC 9110 §9.2.2, or the job allows it).
  package var mayBeRepeated: Bool {
    !movesPosition && (["GET", "HEAD", "QUERY"].contains(method) || retry.attempts > 1)
  }
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
    get { settings.value.timeout }
    set { changeSettings { $0.timeout = newValue } }
  }

  /// Limit for the decoded response body, in bytes.
  package var bodyLimit: Int {
    get { settings.value.bodyLimit }
    set { changeSettings { $0.bodyLimit = newValue } }
  }

  /// True if the body is wanted as the server stores it, not compressed for the transfer.
  package var isFile: Bool {
    get { settings.value.isFile }
    set { changeSettings { $0.isFile = newValue } }
  }

  package typealias Packing = RequestSettings.Packing

  /// The form of a successful body that is a packed file, whose content is wanted; nil for any other.
  package var packing: Packing? {
    get { settings.value.packing }
    set { changeSettings { $0.packing = newValue } }
  }

  /// True if a body that should be a gzip file may as well be a plain one.
  package var mayBePlain: Bool {
    get { settings.value.mayBePlain }
    set { changeSettings { $0.mayBePlain = newValue } }
  }

  /// True if a body without a length is whole only if TLS says that the connection ends there.
  ///
  /// The end of JSON shows in itself; that of lines does not.
  package var watchesEnd: Bool {
    get { settings.value.watchesEnd }
    set { changeSettings { $0.watchesEnd = newValue } }
  }

  /// Origins of the job: its own and those in `hosts`.
  ///
  /// Redirects have their own rules and ignore this set.
  package var allowedOrigins: Set<Origin> { settings.value.allowedOrigins }

  /// The rules for further attempts.
  package var retry: RetryPolicy {
    get { settings.value.retry }
    set { changeSettings { $0.retry = newValue } }
  }

  /// Rate of the job; the origin may have other limits as well.
  package var rate: Rate? { settings.value.rate }

  /// Credentials for requests to their own origin.
  package var credentials: Credentials? {
    get { settings.value.credentials }
    set { changeSettings { $0.credentials = newValue } }
  }

  /// Remembers the token of an attempt; nil if only a 401 refuses one.
  package var tokenTrace: TokenTrace? {
    get { settings.value.tokenTrace }
    set { changeSettings { $0.tokenTrace = newValue } }
  }

  /// Origin to which the job's secrets are bound; nil if none is.
  package var secretsOrigin: Origin? { settings.value.secretsOrigin }

  /// Key with which the request is signed when it is sent; it is set only for a request to its origin.
  package var signingKey: SigningKey? {
    get { settings.value.signingKey }
    set { changeSettings { $0.signingKey = newValue } }
  }

  /// Files for TLS, which only connections to their own origins use.
  package var tlsFiles: TLSFiles? {
    get { settings.value.tlsFiles }
    set { changeSettings { $0.tlsFiles = newValue } }
  }

  /// The socket of this machine that the job's base names; nil for a network.
  package var socket: String? {
    get { settings.value.socket }
    set { changeSettings { $0.socket = newValue } }
  }

  /// The socket to connect to, if the URL is at the origin that stands for it.
  package var ownSocket: String? {
    socket.flatMap { UnixSocket.host(of: $0) == Origin(of: url.text)?.host ? $0 : nil }
  }

  /// The problem with a URL at a socket that is not the request's own; nil for any other URL.
  ///
  /// A name server or a proxy may know the host, and would get what is for this machine.
  package var socketProblem: String? {
    guard ownSocket == nil, let host = Origin(of: url.text)?.host, UnixSocket.isHost(host) else { return nil }
    return "'\(host)' stands for a socket of this machine, which only 'base: unix:SOCKET:/' of the step can name"
  }

  /// Name of the header field that carries the cursor; requests that differ only in it are for different pages.
  package var cursorField: String? {
    get { settings.value.cursorField }
    set { changeSettings { $0.cursorField = newValue } }
  }

  /// True if the server keeps a position that each such request moves: a repetition would skip a page.
  package var movesPosition: Bool {
    get { settings.value.movesPosition }
    set { changeSettings { $0.movesPosition = newValue } }
  }

  /// True if a 303 may lead to a result that a GET reads.
  package var allowsSeeOther: Bool {
    get { settings.value.allowsSeeOther }
    set { changeSettings { $0.allowsSeeOther = newValue } }
  }

  /// True if only the path and the query of a link to another host count (`ignore: [origin]`).
  package var staysAtOrigin: Bool {
    get { settings.value.staysAtOrigin }
    set { changeSettings { $0.staysAtOrigin = newValue } }
  }

  private mutating func changeSettings(_ change: (inout RequestSettings) -> Void) {
    var changed = settings.value
    change(&changed)
    settings = SharedSettings(changed)
  }
}

/// The values that may differ between the requests of a job.
struct RequestParts: Sendable, Hashable {
  var method: String
  var url: Redactable
  var pageURL: Redactable?
  var fields: HTTPFields
  var body: RequestBody?
  var refusesPrivatePeers = false
  var wantsFreshConnection = false
  var refusesHTTP2 = false
  var hidesReply = false
  var replacedOrigin: Origin?
  var purpose = Request.Purpose()
}

/// `RequestParts` behind a reference, so that a copy of a request copies one pointer.
final class SharedParts: Sendable, Hashable {
  let value: RequestParts

  init(_ value: RequestParts) {
    self.value = value
  }

  static func == (a: SharedParts, b: SharedParts) -> Bool { a === b || a.value == b.value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// The values that are the same for all requests of a job.
package struct RequestSettings: Sendable, Hashable {
  package enum Packing: Sendable, Hashable {
    case gzip, zip

    /// The packing of a file, by its first bytes; nil for a plain one.
    package init?(of bytes: [UInt8]) {
      if bytes.starts(with: [0x1F, 0x8B]) {
        self = .gzip
      } else if bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6]) {
        self = .zip
      } else {
        return nil
      }
    }
  }

  var timeout: Duration
  var bodyLimit: Int
  var isFile = false
  var packing: Packing?
  var mayBePlain = false
  var watchesEnd = false
  var allowedOrigins: Set<Origin>
  var retry: RetryPolicy
  var rate: Rate?
  var tokenTrace: TokenTrace?
  var credentials: Credentials?
  var secretsOrigin: Origin?
  var signingKey: SigningKey?
  var tlsFiles: TLSFiles?
  var cursorField: String?
  var socket: String?
  var movesPosition = false
  var allowsSeeOther = false
  var staysAtOrigin = false
}

/// `RequestSettings` behind a reference, so that a copy of a request copies one pointer.
///
/// One generic class for this and `SharedParts` would take time at each start, to make its metadata.
final class SharedSettings: Sendable, Hashable {
  let value: RequestSettings

  init(_ value: RequestSettings) {
    self.value = value
  }

  static func == (a: SharedSettings, b: SharedSettings) -> Bool { a === b || a.value == b.value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// The body of a request.
package struct RequestBody: Sendable, Hashable {
  /// Format of the bytes, for the pager's item and for `Content-Type`.
  package enum Format: Sendable, Hashable { case json, form, text }

  package var bytes: [UInt8]
  /// Body as text with `***` in place of secrets.
  package var redacted: String
  package var format: Format

  package init(bytes: [UInt8], redacted: String, format: Format = .json) {
    self.bytes = bytes
    self.redacted = redacted
    self.format = format
  }
}

// MARK: The limits for the attempts and waits of a request

/// The rules of a job for temporary failures.
package struct RetryPolicy: Sendable, Hashable {
  /// Limit for attempts, including the first.
  ///
  /// A wait that a server asks for does not use up an attempt. With a limit of 1, nothing is repeated.
  package var attempts = 5
  package var statuses = [408, 425, 429, 500, 502, 503, 504, 522, 524]
  /// Upper bound of the first wait; the bound doubles with each failure.
  package var wait: Duration = .milliseconds(500)
  /// Upper bound of every wait that the server did not ask for.
  package var most: Duration { max(.seconds(60), wait) }
  /// Limit for the total time of all waits of one request.
  package var total: Duration = .seconds(600)

  package init() {}

  /// A policy without retries, for requests that may act twice if they are sent twice.
  package static let once: RetryPolicy = {
    var policy = RetryPolicy()
    policy.attempts = 1
    policy.statuses = []
    return policy
  }()
}

/// The highest rate of requests to an origin (`5/s`), as the time between two requests.
package struct Rate: Sendable, Hashable {
  package let interval: Duration

  package init(interval: Duration) {
    self.interval = interval
  }
}
