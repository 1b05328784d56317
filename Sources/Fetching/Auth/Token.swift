import Synchronization
import Wire

/// A token, and until when it is to be used.
struct Token: Sendable, Hashable {
  let text: String
  /// On the run's clock; nil for one that says nothing of an end.
  let renewal: Duration?
}
