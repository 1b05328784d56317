// Writes every exchange, redacted, into a HAR file on its way to the caller.

package import Files
package import JSONText
package import Primitives
import Synchronization
package import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes the exchanges of another transport into a HAR 1.2 file, for `--record`.
///
/// This layer is directly around the transport that has the socket, inside the one that follows redirects. So every hop
/// is an entry. Entries have the order in which their requests began, but a long one does not hold up many others. A
/// recording that can't be written doesn't fail the exchanges: `close()` throws the error.
package final class RecordingTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let secrets: SecretStore
  private let clock: @Sendable () -> Double
  private let makeSpool: @Sendable () -> Spool
  private let state: Locked<State>

  /// Number of exchanges that may wait for an earlier one; each of them holds a file, or memory.
  private static let mostWaiting = 64

  private struct State: ~Copyable {
    var file: AtomicFile?
    var fault: FileError?
    /// Exchanges that are not in the file yet, in the order of their beginnings.
    var waiting: [RecordedExchange] = []
    var isFirst = true
  }

  /// Number of exchanges that are not in the file yet.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Opens the recording.
  ///
  /// - Parameters:
  ///   - path: the final file; until `close()`, a temporary file beside it is written.
  ///   - secrets: secrets to redact wherever they occur, besides those that `Redactable` knows.
  ///   - creatorVersion: our version, for `log.creator`.
  ///   - start: the start of the run in Unix seconds, which is `now` when the file is replayed.
  ///   - environment: for TMPDIR, when the path is no place for temporary files.
  ///   - clock: Unix seconds.
  ///   - calls: system calls for the file; tests make them fail.
  /// - Throws: `FileError.busy` when another run records into the same file.
  package init(
    next: any HTTPTransport, path: String, secrets: SecretStore, creatorVersion: String, start: Int,
    environment: Environment = [:], clock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
    calls: SystemCalls = .system
  ) throws(FileError) {
    self.next = next
    self.secrets = secrets
    self.clock = clock
    let outputPath = OutputPath(path, calls: calls)
    var file = try AtomicFile(outputPath, as: outputPath.recording, calls: calls)
    try file.write(HARFrame.opening(creatorVersion: creatorVersion, start: start))
    let folder = file.isInPlace ? nil : outputPath.folder
    makeSpool = { Spool(memoryLimit: 1 << 18, folder: folder, environment: environment) }
    state = Locked(State(file: consume file))
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    let recorded = RecordedExchange(request: request, started: clock(), secrets: secrets, spool: makeSpool())
    state.withLock { $0.waiting.append(recorded) }
    do {
      let reply = try await next.send(request)
      recorded.answered(reply.head, at: clock())
      if request.hidesReply { recorded.append(Array("***".utf8)) }
      let body = RecordedBody(of: reply.body, into: recorded, by: self, isHidden: request.hidesReply)
      return Reply(head: reply.head, body: body)
    } catch {
      if error.kind == .unsent { forget(recorded) } else { end(recorded, error) }
      throw error
    }
  }

  /// Writes all exchanges, those in progress as far as they came; no exchange may follow.
  ///
  /// - Throws: the first fault of the recording.
  package func finish() throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      let unfinished = state.waiting
      state.waiting = []
      for exchange in unfinished {
        exchange.end(exchange.stopped(.cancelled), at: clock())
        Self.write(exchange, &state)
      }
      if let fault = state.fault { throw fault }
      do throws(FileError) {
        try state.file?.flush()
      } catch {
        state.fault = error
        state.file = nil
        throw error
      }
    }
  }

  /// Completes the file; exchanges in progress are written as far as they came.
  ///
  /// - Parameter run: an object that says how the run ended, without secrets.
  /// - Throws: the first fault of the recording; there is no file then.
  package func close(run: JSONValue? = nil) throws(FileError) {
    // Release the file here: a process may end before the object is released.
    defer { state.withLock { $0.file = nil } }
    try finish()
    try state.withLock { (state) throws(FileError) in
      try state.file?.write(HARFrame.closing(run: run))
      try state.file?.finish()
    }
  }

  fileprivate func end(
    _ exchange: RecordedExchange, _ fault: TransportError?, trailers: HTTPFields = HTTPFields()
  ) {
    exchange.end(fault, trailers: trailers, at: clock())
    state.withLock { Self.writeEnded(&$0) }
  }

  /// Drops an exchange of which nothing was sent.
  private func forget(_ exchange: RecordedExchange) {
    state.withLock { state in
      state.waiting.removeAll { $0 === exchange }
      Self.writeEnded(&state)
    }
  }

  private static func writeEnded(_ state: inout State) {
    let ended = state.waiting.prefix { $0.hasEnded }
    state.waiting.removeFirst(ended.count)
    for exchange in ended { write(exchange, &state) }
    guard state.waiting.count > mostWaiting else { return }
    for exchange in state.waiting where exchange.hasEnded { write(exchange, &state) }
    state.waiting.removeAll(where: \.hasEnded)
  }

  private static func write(_ exchange: RecordedExchange, _ state: inout State) {
    guard state.fault == nil else { return }
    do throws(FileError) {
      try state.file?.write(state.isFirst ? [] : HARFrame.separator)
      state.isFirst = false
      try exchange.write { (bytes) throws(FileError) in try state.file?.write(bytes) }
    } catch {
      state.fault = error
      state.file = nil
    }
  }
}

/// A body that is copied into the recording while it is read.
private final class RecordedBody: ReplyBody {
  private let body: any ReplyBody
  private let exchange: RecordedExchange
  private let recording: RecordingTransport
  /// True if the body is a secret, so that `***` is recorded.
  private let isHidden: Bool

  init(of body: any ReplyBody, into exchange: RecordedExchange, by recording: RecordingTransport, isHidden: Bool) {
    self.isHidden = isHidden
    self.body = body
    self.exchange = exchange
    self.recording = recording
  }

  /// A reader may release the body without cancelling it.
  deinit {
    endEarly()
  }

  func next() async throws(TransportError) -> [UInt8]? {
    do {
      let bytes = try await body.next()
      if bytes == nil { recording.end(exchange, nil, trailers: trailers) }
      if let bytes, !isHidden { exchange.append(bytes) }
      return bytes
    } catch {
      recording.end(exchange, error)
      throw error
    }
  }

  var trailers: HTTPFields { body.trailers }

  func cancel() {
    body.cancel()
    endEarly()
  }

  private func endEarly() {
    if !exchange.hasEnded { recording.end(exchange, exchange.stopped(.cut)) }
  }
}

/// Redacts secrets in bytes that arrive in pieces, also if a secret crosses two pieces.
struct SecretFilter {
  private let secrets: SecretMatcher
  private let isText: Bool
  /// Length of the longest form of a secret, 48 bytes for each byte.
  ///
  /// Base64 makes four bytes of three, each byte may be percent-encoded and that escaped (`\u0025`). The rest of the
  /// factor is for encodings around that.
  private let reach: Int
  private let window: Int
  private var threshold: Int
  private var pending: [UInt8] = []

  /// Creates a filter for the secrets that are known now.
  ///
  /// - Parameter window: number of bytes that are redacted at once.
  init(secrets: SecretStore, isText: Bool, window: Int = 1 << 18) {
    self.secrets = secrets.current
    self.isText = isText
    reach = (secrets.values.map(\.utf8.count).max() ?? 0) * 48
    self.window = max(window, reach)
    threshold = self.window
  }

  /// True if there is anything to redact.
  var hasSecrets: Bool { reach > 0 }

  /// Takes bytes, and returns redacted bytes that no later input can change.
  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    guard reach > 0 else { return bytes }
    pending += bytes
    guard pending.count >= threshold + reach else { return [] }
    return complete()
  }

  mutating func finish(isCut: Bool = false) -> [UInt8] {
    defer { pending = [] }
    return reach > 0 ? masked(pending[...], isCut: isCut) : pending
  }

  /// Returns the redacted bytes before a cut that crosses no secret.
  ///
  /// No secret crosses a cut if redacting both sides separately gives the same result as redacting the whole. If no cut
  /// near the end qualifies, the filter waits for twice as much input.
  private mutating func complete() -> [UInt8] {
    let whole = masked(pending[...])
    for step in 1...8 where step * reach < pending.count {
      let cut = boundary(at: pending.count - step * reach)
      let finished = masked(pending[..<cut])
      guard finished + masked(pending[cut...]) == whole else { continue }
      pending.removeFirst(cut)
      threshold = window
      return finished
    }
    threshold = pending.count * 2
    return []
  }

  private func boundary(at offset: Int) -> Int {
    guard isText else { return offset }
    return pending[..<offset].lastIndex { $0 & 0xC0 != 0x80 } ?? 0
  }

  /// Redacts bytes.
  ///
  /// Those that are not text are treated as Latin-1, where every byte is a character.
  private func masked(_ bytes: ArraySlice<UInt8>, isCut: Bool = false) -> [UInt8] {
    if isText { return Array(secrets.redacting(String(decoding: bytes, as: UTF8.self), isCut: isCut).utf8) }
    var latin = ""
    latin.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
    return secrets.redacting(latin, isCut: isCut).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }
}

/// Puts quotes around masks that stand for numbers and words of JSON, so that a redacted body stays JSON.
///
/// A secret may be a number, such as an account's: `{"account":20481234}` would become `{"account":***}`, which no replay
/// could read. The mask of a part (`***34`) takes the place of the whole value.
struct MaskQuotes {
  private enum State { case start, outside, string, escape, elsewhere }

  /// Longest value that is held; a longer one is written as it is.
  private static let mostHeld = 4_096

  private var state = State.start
  /// Bytes of a number or word that has not ended.
  private var value: [UInt8] = []

  /// Takes redacted bytes, and returns those that no later byte can change.
  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    if state == .elsewhere { return bytes }
    var found: [UInt8] = []
    found.reserveCapacity(bytes.count)
    for byte in bytes { take(byte, &found) }
    return found
  }

  /// Returns the rest.
  mutating func finish() -> [UInt8] {
    var found: [UInt8] = []
    endValue(&found)
    return found
  }

  private mutating func take(_ byte: UInt8, _ found: inout [UInt8]) {
    switch (state, byte) {
    case (.start, UInt8(ascii: "{")), (.start, UInt8(ascii: "[")): state = .outside
    case (.start, _) where !Self.isSpace(byte): state = .elsewhere
    case (.outside, UInt8(ascii: "\"")):
      endValue(&found)
      state = .string
    case (.outside, _) where Self.isSpace(byte) || ",:[]{}".utf8.contains(byte): endValue(&found)
    case (.outside, _):
      value.append(byte)
      if value.count > Self.mostHeld {
        found += value
        value = []
      }
      return
    case (.string, UInt8(ascii: "\"")): state = .outside
    case (.string, UInt8(ascii: "\\")): state = .escape
    case (.escape, _): state = .string
    default: break
    }
    found.append(byte)
  }

  private mutating func endValue(_ found: inout [UInt8]) {
    guard !value.isEmpty else { return }
    found += value.contains(UInt8(ascii: "*")) ? Array("\"***\"".utf8) : value
    value = []
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
