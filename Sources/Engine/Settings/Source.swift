import Files
import JSONText
import PipelineSpec
import Wire

/// The source of a run's replies.
package enum Source: Sendable {
  case network
  /// A HAR file, with no network at all.
  case replay(path: String)

  /// Files that the source reads.
  var paths: [String] { if case .replay(let path) = self { [path] } else { [] } }
}
