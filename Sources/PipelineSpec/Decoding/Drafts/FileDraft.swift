import YAMLText

internal import Diagnostics
internal import JSONText

/// Values of a file's own keys while they are decoded.
struct FileDraft {
  var parameters: [Spec.Parameter] = []
  /// Nodes of `steps`; nil for a file of one job.
  var steps: [Node]?
}
