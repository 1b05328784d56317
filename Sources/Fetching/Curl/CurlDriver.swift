import CCurl
import Synchronization
import Wire

/// Keeps the work on the thread going: it ends when the last exchanger and the last reader have let go of this.
final class CurlDriver: Sendable {
  private let loop: CurlLoop

  /// Starts the thread, unless somebody lends one.
  init(_ library: CurlLibrary, trust: CurlTrust, on lent: (any BorrowableExecutor)?) throws(CurlLibrary.Missing) {
    loop = try CurlLoop(library, trust: trust)
    try loop.start(on: lent)
  }

  deinit { loop.stop() }

  /// Runs tasks on the thread of the transfers.
  var executor: any TaskExecutor { loop }

  func start(_ transfer: CurlTransfer) {
    loop.post { $0.starting.append(transfer) }
  }

  /// Looks after a transfer that is to go on, or that was given up.
  func attend(to transfer: CurlTransfer) {
    loop.post { $0.touched.append(transfer) }
  }
}
