import Observation
import Pagecat

/// What a progress view shows; a SwiftUI view would read its properties.
@MainActor @Observable
final class ProgressModel {
  /// Text of the view.
  private(set) var text = "not begun"
  /// Part that is done, if the total is known.
  private(set) var fraction: Double?
  /// Warnings, and input records that were left out.
  private(set) var remarks: [String] = []

  /// Creates the model of a view.
  init() {}

  /// Follows a run to its end.
  func observe(_ events: PipelineEvents) async {
    for await event in events {
      switch event {
      case .progress(let progress):
        text = "\(progress.records) records, \(progress.requests) requests"
        if let reason = progress.waitReason { text += ", waiting: \(reason)" }
        fraction = progress.fraction
      case .warning(let text): remarks.append(text)
      case .reject(let reject): remarks.append(reject.description)
      case .missed(let count): remarks.append("and \(count) more")
      }
    }
  }
}
