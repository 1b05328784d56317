import Synchronization
import Wire

/// The body of a reply that comes from the network. A body that nobody reads any more is cancelled.
final class CurlBody: ReplyBody {
  private let transfer: CurlTransfer

  init(_ transfer: CurlTransfer) {
    self.transfer = transfer
  }

  deinit { transfer.cancel() }

  func next() async throws(TransportError) -> [UInt8]? { try await transfer.next() }

  func cancel() { transfer.cancel() }

  /// Bytes that wait to be read, and whether the server has been made to wait.
  var backlog: (bytes: Int, isPaused: Bool) { transfer.inflow.body.backlog }
}
