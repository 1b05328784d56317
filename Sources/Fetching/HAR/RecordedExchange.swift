// One exchange during its recording.

import Primitives
import Files
import JSONText
import Synchronization
import Wire

/// The recorded part of an exchange; its body waits in a spool until the entry can be written.
final class RecordedExchange: Sendable {
  private let spool: Spool
  private let secrets: SecretStore
  private let state: Locked<State>

  private struct State {
    var entry: HAREntry
    var text = UTF8Check()
    var spoolFault: FileError?
    var hasEnded = false
  }

  init(request: Request, started: Double, secrets: SecretStore, spool: Spool) {
    self.spool = spool
    self.secrets = secrets
    let entry = HAREntry(
      request: request, started: started, answered: started, ended: started, bodySize: 0, bodyIsText: true,
      secrets: secrets)
    state = Locked(State(entry: entry))
  }

  /// Returns the error for an exchange that the reader stopped (`cut`) or that the run's end stopped (`cancelled`).
  ///
  /// In a replay the exchange fails where the reader stopped.
  func stopped(_ kind: TransportError.Kind) -> TransportError {
    let url = state.withLock { $0.entry.request.url }
    return TransportError(kind, url: url, problem: "the recording ends here: the rest of the body was not read")
  }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func answered(_ head: ReplyHead, at time: Double) {
    state.withLock { state in
      state.entry.head = head
      state.entry.answered = time
    }
  }

  func append(_ bytes: [UInt8]) {
    state.withLock { state in
      guard !state.hasEnded, state.spoolFault == nil else { return }
      do throws(FileError) {
        try spool.append(bytes)
        state.text.append(bytes)
      } catch {
        state.spoolFault = error
      }
    }
  }

  /// Ends the exchange; only the first call counts.
  func end(_ fault: TransportError?, trailers: HTTPFields = HTTPFields(), at time: Double) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.hasEnded = true
      state.entry.fault = fault
      state.entry.trailers = trailers
      state.entry.ended = time
      if state.entry.head == nil { state.entry.answered = time }
      state.entry.bodySize = spool.count
      state.entry.bodyIsText = state.text.isWhole
    }
  }

  /// Gives the entry away, piece by piece, as JSON.
  func write(to sink: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
    let (entry, spoolFault) = state.withLock { ($0.entry, $0.spoolFault) }
    if let spoolFault { throw .failed(spoolFault.problem) }
    let (opening, closing) = entry.halves
    try sink(opening)
    var text = HARBodyText(isText: entry.bodyIsText, secrets: secrets)
    while let bytes = try nextBytes() {
      try sink(text.append(bytes))
    }
    // A body that was cut short may end with the beginning of a secret. A whole body stays unchanged for a replay.
    try sink(text.finish(isCut: entry.fault != nil))
    try sink(closing)
  }

  private func nextBytes() throws(FileError) -> [UInt8]? {
    do {
      return try spool.next()
    } catch {
      throw .failed(error.problem)
    }
  }
}
