/// What a stage has counted.
struct StageCounters: Sendable, Hashable {
  var pages = 0
  var rejected = 0
}
