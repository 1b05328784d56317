import Wire

/// The body of a reply from the network; releasing it cancels the transfer.
final class CurlBody: ReplyBody {
  private let transfer: CurlTransfer

  init(_ transfer: CurlTransfer) {
    self.transfer = transfer
  }

  deinit { transfer.cancel() }

  func next() async throws(TransportError) -> [UInt8]? { try await transfer.next() }

  var trailers: HTTPFields { transfer.trailers }

  func cancel() { transfer.cancel() }

  /// Number of bytes that wait for the reader, and whether the transfer is paused.
  var backlog: (bytes: Int, isPaused: Bool) { transfer.inflow.body.backlog }
}
