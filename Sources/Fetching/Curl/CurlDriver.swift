import CCurl
import Primitives
import Wire

/// Keeps the loop running: it stops when the last transport and the last reader have released this object.
final class CurlDriver: Sendable {
  private let loop: CurlLoop
  let environment: Environment

  /// Starts a thread for the loop, or runs the loop on a borrowed one.
  init(
    _ library: CurlLibrary, trust: CurlTrust, environment: Environment, on lent: (any BorrowableExecutor)?
  ) throws(CurlLibrary.Missing) {
    self.environment = environment
    loop = try CurlLoop(library, trust: trust)
    try loop.start(on: lent)
  }

  deinit { loop.stop() }

  /// Runs tasks on the thread of the transfers.
  var executor: any TaskExecutor { loop }

  func start(_ transfer: CurlTransfer) {
    loop.post { $0.starting.append(transfer) }
  }

  /// Makes the loop handle a transfer that is to be resumed, or that was cancelled.
  func attend(to transfer: CurlTransfer) {
    loop.post { $0.touched.append(transfer) }
  }
}
