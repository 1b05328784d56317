// Sends requests over the network with libcurl.

package import Primitives
import Synchronization
package import Wire

/// Sends requests with libcurl, any number at once, on one thread; connections are reused.
///
/// Redirects are replies here: `RedirectingTransport` follows them.
package final class CurlTransport: HTTPTransport {
  private let environment: Environment
  private let trust: CurlTrust
  private let thread: (any BorrowableExecutor)?
  private let library: @Sendable () throws(CurlLibrary.Missing) -> CurlLibrary
  private let driver = Locked<CurlDriver?>(nil)

  /// The variables of the environment that a transport reads.
  package static let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR"]

  /// Creates a transport.
  ///
  /// It loads and starts nothing before the first request.
  ///
  /// - Parameters:
  ///   - environment: has the `variables`. libcurl reads the proxies from the process's own environment.
  ///   - thread: does the transfers if it is free; otherwise the transport starts a thread.
  package init(environment: Environment = [:], on thread: (any BorrowableExecutor)? = nil) {
    self.thread = thread
    self.environment = environment
    trust = CurlTrust(environment: environment)
    library = { () throws(CurlLibrary.Missing) in try CurlLibrary.system.get() }
  }

  /// Creates a transport that loads a library with other names or another oldest version.
  init(libraries names: [String], floor: UInt32 = CurlLibrary.floor) {
    environment = [:]
    trust = CurlTrust(environment: [:])
    thread = nil
    library = { () throws(CurlLibrary.Missing) in try CurlLibrary(named: names, floor: floor) }
  }

  /// Creates a transport with a library that is already open.
  init(_ opened: CurlLibrary) {
    environment = [:]
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
    // Cancel here, not while waiting for the head: the request may be sent by then.
    if Task.isCancelled { transfer.cancel() } else { driver.start(transfer) }
    var head = try await transfer.head()
    let body = DecodedBody.decoding(CurlBody(transfer), head, of: request)
    // A compressed body has an end of its own.
    if body is DecodedBody { head.hasOpenEnd = false }
    return Reply(head: head, body: body)
  }

  /// Runs tasks on the thread of the transfers, so that a reply needs no thread switch; nil without libcurl.
  ///
  /// It serves runs whose pages take little time. The first request reports a missing libcurl.
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
      let started = try CurlDriver(library(), trust: trust, environment: environment, on: thread)
      driver = started
      return started
    }
  }
}
