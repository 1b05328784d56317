/// What happens to the runs of an export.
enum MatrixScenario: String, CaseIterable, Sendable {
  /// Nothing: a first run, a second one without news, a third one with news.
  case calm = "calm"
  /// Each run is killed at a random request and resumed. One of them fails at a random request besides, before that.
  case killed = "killed and resumed"
  /// A random page of each run fails once.
  case stumbling = "a page that fails once"

  /// The runs of the export, in order.
  ///
  /// Without marks every run is a first run, so that one of a kind is enough.
  func runs(isMarked: Bool) -> [MatrixRun.Kind] {
    switch self {
    case .calm: isMarked ? [.first, .nothingNew, .news] : [.first, .news]
    case .killed, .stumbling: isMarked ? [.first, .news] : [.first]
    }
  }
}
