/// The counters of a stage.
struct StageCounters: Sendable, Hashable {
  var pages = 0
  var rejected = 0
}
