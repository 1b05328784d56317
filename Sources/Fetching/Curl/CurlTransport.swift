// Sends requests over the network with libcurl.

import CCurl
import Files
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

// MARK: One exchange, shared by libcurl's thread and the task that waits for the reply

final class CurlTransfer: Sendable {
  enum Ending {
    /// The response is complete.
    case whole
    case fault(TransportError)
  }

  private struct State {
    var isHeadWhole = false
    var ending: Ending?
    /// The waiting reader.
    ///
    /// Code that takes it under the lock resumes it exactly once.
    var waiter: UnsafeContinuation<Void, Never>?
  }

  let request: Request
  let inflow: Inflow
  /// Keeps the thread running while somebody reads.
  private let driver: CurlDriver
  private let state = Locked(State())

  init?(_ request: Request, by driver: CurlDriver) {
    guard let inflow = Inflow(limit: request.bodyLimit, environment: driver.environment) else { return nil }
    self.inflow = inflow
    self.request = request
    self.driver = driver
  }

  private func change(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}

// The side of libcurl's thread.
extension CurlTransfer {
  /// Records that the head is whole or that body bytes arrived.
  func arrived() {
    let isHeadWhole = inflow.isHeadWhole
    change { $0.isHeadWhole = isHeadWhole }
  }

  func end(_ ending: Ending) {
    let isHeadWhole = inflow.isHeadWhole
    change { state in
      state.isHeadWhole = isHeadWhole
      // A cancellation that came first has ended the transfer.
      state.ending = state.ending ?? ending
    }
  }

  /// True if the transfer has ended on either side.
  var hasEnded: Bool { state.withLock { $0.ending != nil } }
}

// The side of the task.
extension CurlTransfer {
  /// Waits for the head.
  func head() async throws(TransportError) -> ReplyHead {
    while true {
      let (isHeadWhole, ending) = state.withLock { ($0.isHeadWhole, $0.ending) }
      if case .fault(let fault) = ending, fault.kind == .cancelled || !isHeadWhole { throw fault }
      if isHeadWhole { return try parsedHead() }
      // libcurl accepts a head without an end, and a reply with only an interim head.
      if case .whole = ending {
        let problem = "\(request.url.peer) ended the connection within the head"
        throw TransportError(.cut, url: request.url, problem: problem)
      }
      await wait { $0.isHeadWhole }
    }
  }

  private func parsedHead() throws(TransportError) -> ReplyHead {
    do {
      return try readHead()
    } catch {
      cancel()
      throw TransportError(.other, url: request.url, problem: "\(request.url.peer) \(error.problem)")
    }
  }

  private func readHead() throws(ReplyHead.SyntaxError) -> ReplyHead {
    var head = try ReplyHead(parsing: inflow.head ?? [], url: request.url)
    head.peer = inflow.peer
    head.connectTime = inflow.connectTime
    head.hasOpenEnd = head.fields["Content-Length"] == nil && !head.isChunked && ![204, 304].contains(head.status)
    return head
  }

  /// The end of a TLS connection that the server did not announce: an error if nothing else says where the body ends.
  ///
  /// Whoever can cut the connection could cut the body (RFC 8446 §6.1).
  var endWithoutNotice: Ending {
    guard let head = try? readHead(), head.hasOpenEnd, head.fields["Content-Encoding"] == nil, request.method != "HEAD",
      !ccurl_inflow_is_http2(inflow.pointer)
    else { return .whole }
    return .fault(
      TransportError(
        .cut, url: request.url,
        problem:
          "\(request.url.peer) ended the connection without TLS's close_notify, and nothing else says that the body ends "
          + "there: it may have been cut; if the server never announces the end, write 'ignore: [partial]'"))
  }

  /// Waits for the next bytes of the body.
  func next() async throws(TransportError) -> [UInt8]? {
    while true {
      // Read the ending first: no bytes follow it, but bytes may arrive after `take`.
      let ending = state.withLock { $0.ending }
      if case .fault(let fault) = ending, fault.kind == .cancelled { throw fault }
      if let bytes = try take() { return bytes }
      switch ending {
      case .whole: return nil
      case .fault(let fault): throw fault
      case nil: await wait { [inflow] _ in inflow.body.backlog.bytes > 0 }
      }
    }
  }

  /// The trailers of a body that was read to its end.
  var trailers: HTTPFields {
    guard case .whole = state.withLock({ $0.ending }) else { return HTTPFields() }
    return HTTPFields(trailers: inflow.trailers)
  }

  private func take() throws(TransportError) -> [UInt8]? {
    do {
      guard let (bytes, wantsResume) = try inflow.body.take() else { return nil }
      if wantsResume { driver.attend(to: self) }
      return bytes
    } catch {
      cancel()
      throw TransportError(.other, url: request.url, problem: "\(error.problem), to read what has arrived")
    }
  }

  /// Waits until `isReady`, the end, or any other change.
  private func wait(until isReady: @Sendable (borrowing State) -> Bool) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let toResume: UnsafeContinuation<Void, Never>? = state.withLock { state in
          if state.ending != nil || isReady(state) { return continuation }
          // There is one reader. A second reader makes the first one check again.
          defer { state.waiter = continuation }
          return state.waiter
        }
        toResume?.resume()
      }
    } onCancel: {
      cancel()
    }
  }

  /// Cancels a transfer that has not ended, and closes its connection.
  func cancel() {
    let isNews = state.withLock { $0.ending == nil }
    guard isNews else { return }
    let fault = TransportError(
      inflow.cancel() ? .unsent : .cancelled, url: request.url, problem: "the request was cancelled")
    change { $0.ending = $0.ending ?? .fault(fault) }
    driver.attend(to: self)
  }
}
