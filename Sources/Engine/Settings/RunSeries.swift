import Fetching
package import Files
package import JSONText
import Primitives
import Synchronization
package import Wire

/// What the consecutive runs of one command share besides the network: secrets, replies of a recording, and the
/// recording that they write.
package final class RunSeries: Sendable {
  private struct Shared: Sendable {
    var replay: ReplayTransport?
    var recorder: RecordingTransport?
  }

  /// Every secret of any run.
  let secrets: SecretStore
  private let shared = Locked(Shared())

  /// - Parameter secrets: takes every secret of any run.
  package init(hiding secrets: SecretStore) {
    self.secrets = secrets
  }

  /// Returns the replies of a recording, each of which answers one request of all runs.
  func replay<Failure: Error>(_ make: () throws(Failure) -> ReplayTransport) throws(Failure) -> ReplayTransport {
    if let replay = shared.withLock(\.replay) { return replay }
    let replay = try make()
    shared.withLock { $0.replay = replay }
    return replay
  }

  /// Returns the recording, and begins it for the first run.
  func recorder(_ make: () throws(FileError) -> RecordingTransport) throws(FileError) -> RecordingTransport {
    if let recorder = shared.withLock(\.recorder) { return recorder }
    let recorder = try make()
    shared.withLock { $0.recorder = recorder }
    return recorder
  }

  /// Completes the recording of all runs, if there is one.
  package func closeRecording(run outcome: JSONValue) throws(FileError) {
    try shared.withLock(\.recorder)?.close(run: outcome)
  }
}
