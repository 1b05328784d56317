import YAMLText

internal import Diagnostics
internal import JSONText

/// A file's own keys while they are read.
struct FileDraft {
  var parameters: [Spec.Parameter] = []
  /// The nodes of `steps`; nil for a file of one job.
  var steps: [Node]?
}
