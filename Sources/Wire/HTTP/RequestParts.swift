/// The values that may differ between the requests of a job.
struct RequestParts: Sendable, Hashable {
  var method: String
  var url: Redactable
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
