import Wire

/// A token, and the time at which to renew it.
struct Token: Sendable, Hashable {
  let text: String
  /// Time of the renewal on the run's clock; nil if the server named no lifetime.
  let renewal: Duration?
}
