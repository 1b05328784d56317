import Files
import JSONText
import PipelineSpec
import Synchronization

/// Where a run's replies come from.
package enum Source: Sendable {
  case network
  /// From a HAR file, with no network at all.
  case replay(path: String)

  /// The files that are read for it.
  var paths: [String] { if case .replay(let path) = self { [path] } else { [] } }
}
