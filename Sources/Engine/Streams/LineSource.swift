// NDJSON read ahead: a separate thread reads and scans while the consumers work on earlier records.

import Primitives
import JSONText
import Synchronization
import Wire

/// Records of an input, a chunk at a time.
final class LineSource: Sendable {
  /// The result of scanning a chunk: the records that are complete now, and the error after them.
  struct Chunk: Sendable {
    var lines: [UInt8] = []
    var tokenIndex = TokenIndex()
    var fault: Fault?
    /// True if no chunk follows.
    var isLast = false
  }

  enum Fault: Sendable {
    case json(JSONError)
    case input(InputError)
  }

  /// Limit for the chunks that wait for the consumer.
  ///
  /// With a limit of 0, reader and consumer would run in turns. With 1, they would wake each other for nearly every
  /// chunk.
  private static let mostReady = 2

  private struct State {
    var ready: [Chunk] = []
    /// The consumer that waits for a chunk.
    var taker: CheckedContinuation<Void, Never>?
    var isReading = false
    /// True if the whole input has been read.
    var isRead = false
    /// True if the consumer has stopped.
    var isOver = false
  }

  /// State that only the reading thread uses.
  private struct Scan {
    var scanner: LineScanner
    var buffer: [UInt8] = []
    /// True once the first bytes are known not to be those of a gzip file.
    var hasBegun = false
  }

  private let input: Input
  private let state = Locked(State())
  private let scan: Locked<Scan>

  /// Creates a source of records.
  ///
  /// - Parameter depth: depth of the token index in records.
  init(_ input: Input, lineLimit: Int, tokenIndexDepth depth: Int) {
    self.input = input
    scan = Locked(Scan(scanner: LineScanner(lineLimit: lineLimit, tokenIndexDepth: depth)))
  }

  /// Returns the next chunk that has records or an error, or is the last one; nil after `stop`.
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

  /// Stops reading.
  ///
  /// A read can't be cancelled, so one that may take long continues in the background. For a file, `stop` waits for the
  /// read to end, so that the file can be read again.
  func stop() async {
    let (taker, isReading) = state.withLock { state in
      defer { (state.isOver, state.ready, state.taker) = (true, [], nil) }
      return (state.taker, state.isReading)
    }
    taker?.resume()
    input.closePipe()
    guard isReading, input.place != nil else { return }
    await withCheckedContinuation { done in input.inBackground { done.resume() } }
  }

  /// Reads until enough chunks are ready, or the input has ended.
  private func readAhead() {
    while true {
      let chunk = scan.withLock { read(&$0) }
      if chunk.lines.isEmpty, chunk.fault == nil, !chunk.isLast, !isOver { continue }
      guard hand(over: chunk) else { return }
    }
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  /// Passes a chunk to the consumer; returns false if no more is to be read now.
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
      if !scan.hasBegun {
        try input.refuseGzip(scan.buffer[..<count])
        scan.hasBegun = true
      }
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
