// Answers from the network, through libcurl.

import Synchronization
package import Wire

/// Makes requests with libcurl, as many at once as are asked for, on one thread of its own. Connections are used again.
///
/// Redirects are replies here: `RedirectingTransport` follows them.
package final class CurlTransport: HTTPTransport {
  private let trust: CurlTrust
  private let thread: (any BorrowableExecutor)?
  private let library: @Sendable () throws(CurlLibrary.Missing) -> CurlLibrary
  private let driver = Locked<CurlDriver?>(nil)

  /// Nothing is loaded or started before the first request.
  ///
  /// - Parameters:
  ///   - environment: where `CURL_CA_BUNDLE`, `SSL_CERT_FILE` and `SSL_CERT_DIR` are looked up. Proxies are libcurl's
  ///     business, which reads the process's own environment.
  ///   - thread: does the transfers if it is free; otherwise one is started.
  package init(environment: Environment = [:], on thread: (any BorrowableExecutor)? = nil) {
    self.thread = thread
    trust = CurlTrust(environment: environment)
    library = { () throws(CurlLibrary.Missing) in try CurlLibrary.system.get() }
  }

  /// With a library of other names or another floor.
  init(libraries names: [String], floor: UInt32 = CurlLibrary.floor) {
    trust = CurlTrust(environment: [:])
    thread = nil
    library = { () throws(CurlLibrary.Missing) in try CurlLibrary(named: names, floor: floor) }
  }

  /// With a library that is open.
  init(_ opened: CurlLibrary) {
    trust = CurlTrust(environment: [:])
    thread = nil
    library = { opened }
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    if let flaw = request.flaw { throw flaw }
    let driver = try startedDriver(for: request)
    guard let transfer = CurlTransfer(request, by: driver) else {
      throw CurlOutcome.outOfMemory.fault(for: request)
    }
    // Not left to the wait for the head: the request may be on its way by then.
    if Task.isCancelled { transfer.cancel() } else { driver.start(transfer) }
    let head = try await transfer.head()
    return Reply(head: head, body: DecodedBody.decoding(CurlBody(transfer), head, of: request))
  }

  /// Runs tasks on the thread that does the transfers, so that a reply costs no hop between threads: for runs whose
  /// pages take little time. Nil when there is no libcurl, which the first request tells.
  package var executor: (any TaskExecutor)? { try? startedDriver().executor }

  private func startedDriver(for request: Request) throws(TransportError) -> CurlDriver {
    do {
      return try startedDriver()
    } catch {
      throw TransportError(.noLibrary, url: request.url, problem: error.problem)
    }
  }

  private func startedDriver() throws(CurlLibrary.Missing) -> CurlDriver {
    try driver.withLock { driver throws(CurlLibrary.Missing) in
      if let driver { return driver }
      let started = try CurlDriver(library(), trust: trust, on: thread)
      driver = started
      return started
    }
  }
}
