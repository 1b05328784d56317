// NDJSON read ahead: a thread of its own reads and scans while those who take the records work on the ones before.

import JSONText
import Synchronization
import Wire

/// Records of an input, a chunk at a time.
final class LineSource: Sendable {
  /// What became of a chunk: the records that are whole now, and what is wrong behind them.
  struct Chunk: Sendable {
    var lines: [UInt8] = []
    var tokenIndex = TokenIndex()
    var fault: Fault?
    /// Nothing comes after it.
    var isLast = false
  }

  enum Fault: Sendable {
    case json(JSONError)
    case input(InputError)
  }

  /// How many chunks may wait to be taken. With none, reader and taker would wait for each other by turns; with one, they
  /// wake each other for nearly every chunk.
  private static let mostReady = 2

  private struct State {
    var ready: [Chunk] = []
    /// Who waits for something to be ready.
    var taker: CheckedContinuation<Void, Never>?
    var isReading = false
    /// All has been read.
    var isRead = false
    /// Nobody wants any more.
    var isOver = false
  }

  /// What only the reading thread touches.
  private struct Scan {
    var scanner: LineScanner
    var buffer: [UInt8] = []
  }

  private let input: Input
  private let state = Locked(State())
  private let scan: Locked<Scan>

  /// - Parameter depth: how deep in records the places of tokens are wanted.
  init(_ input: Input, lineLimit: Int, tokenIndexDepth depth: Int) {
    self.input = input
    scan = Locked(Scan(scanner: LineScanner(lineLimit: lineLimit, tokenIndexDepth: depth)))
  }

  /// The next chunk that has records or a fault, or is the last one; nil when nobody waits for it any more.
  func next() async -> Chunk? {
    while true {
      let (chunk, isOver, starts) = state.withLock { state -> (Chunk?, Bool, Bool) in
        let chunk = state.ready.isEmpty ? nil : state.ready.removeFirst()
        let starts = !state.isReading && !state.isRead && !state.isOver
        if starts { state.isReading = true }
        return (chunk, state.isOver, starts)
      }
      if starts { input.inBackground { self.readAhead() } }
      if chunk != nil || isOver { return chunk }
      await somethingReady()
    }
  }

  private func somethingReady() async {
    await withCheckedContinuation { taker in
      let isReady = state.withLock { state in
        let isReady = !state.ready.isEmpty || state.isOver
        if !isReady { state.taker = taker }
        return isReady
      }
      if isReady { taker.resume() }
    }
  }

  /// Gives up what is under way. A read can't be cancelled: one that may take long is left behind. One of a file is not,
  /// so that the file can be read again.
  func stop() async {
    let (taker, isReading) = state.withLock { state in
      defer { (state.isOver, state.ready, state.taker) = (true, [], nil) }
      return (state.taker, state.isReading)
    }
    taker?.resume()
    guard isReading, input.place != nil else { return }
    await withCheckedContinuation { done in input.inBackground { done.resume() } }
  }

  /// Reads until enough is ready, or all is read.
  private func readAhead() {
    while true {
      let chunk = scan.withLock { read(&$0) }
      if chunk.lines.isEmpty, chunk.fault == nil, !chunk.isLast, !isOver { continue }
      guard hand(over: chunk) else { return }
    }
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  /// False when nothing more is to be read now.
  private func hand(over chunk: Chunk) -> Bool {
    let (taker, goesOn) = state.withLock { state in
      let taker = state.taker
      state.taker = nil
      if !state.isOver { state.ready.append(chunk) }
      state.isRead = chunk.isLast
      state.isReading = !state.isOver && !chunk.isLast && state.ready.count < Self.mostReady
      return (taker, state.isReading)
    }
    taker?.resume()
    return goesOn
  }

  private func read(_ scan: inout Scan) -> Chunk {
    var chunk = Chunk()
    if scan.buffer.isEmpty { scan.buffer = [UInt8](repeating: 0, count: Input.chunkSize) }
    do {
      let count = try input.read(into: &scan.buffer)
      chunk.isLast = count == 0
      do throws(JSONError) {
        if count > 0 { try scan.scanner.append(scan.buffer, count) } else { try scan.scanner.finish() }
      } catch {
        chunk.fault = .json(error)
      }
    } catch {
      chunk.fault = .input(error)
    }
    if chunk.fault != nil { chunk.isLast = true }
    (chunk.lines, chunk.tokenIndex) = scan.scanner.takeLines()
    return chunk
  }
}
