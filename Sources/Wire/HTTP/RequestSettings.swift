// Settings that are the same for all requests of a job, shared by reference, since a request is copied many times a
// page.

/// The settings of a request.
struct RequestSettings: Sendable, Hashable {
  var timeout: Duration
  var bodyLimit: Int
  var isFile = false
  var isPacked = false
  var allowedOrigins: Set<Origin>
  var retry: RetryPolicy
  var rate: Rate?
  var credentials: Credentials?
  var signingKey: SigningKey?
  var tlsFiles: TLSFiles?
  var cursorField: String?
}

/// Settings that several requests share.
final class SharedSettings: Sendable, Hashable {
  let settings: RequestSettings

  init(_ settings: RequestSettings) {
    self.settings = settings
  }

  /// Returns other settings with one change.
  func with<Value>(_ path: WritableKeyPath<RequestSettings, Value>, _ value: Value) -> SharedSettings {
    var changed = settings
    changed[keyPath: path] = value
    return SharedSettings(changed)
  }

  static func == (a: SharedSettings, b: SharedSettings) -> Bool { a === b || a.settings == b.settings }

  func hash(into hasher: inout Hasher) { hasher.combine(settings) }
}
