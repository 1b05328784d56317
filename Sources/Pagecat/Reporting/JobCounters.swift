/// What one job of a run has done.
struct JobCounters: Sendable, Hashable {
  var requests = 0
  var pages = 0
  /// Records that were fetched, whatever later jobs made of them.
  var records = 0
}
