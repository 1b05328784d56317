/// The values that are the same for all requests of a job.
struct RequestSettings: Sendable, Hashable {
  var timeout: Duration
  var bodyLimit: Int
  var isFile = false
  var isPacked = false
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
