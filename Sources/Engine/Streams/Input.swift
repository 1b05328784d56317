// Bytes from files and standard input, in chunks, without blocking a thread of the concurrency pool.

import Diagnostics
import Dispatch
package import Files
import JSONText
import Primitives
import Synchronization
import Wire

/// Reads a file descriptor, or the records that a task of this process writes, in order.
package final class Input: Sendable {
  /// Name for messages: the given path, or `<stdin>`.
  package let name: String
  private let reader: InputReader
  /// The source that replaces the descriptor, if any.
  private let pipe: RecordPipe?
  /// The records of another run that replace the descriptor, if any.
  private let spool: SharedSpoolReader?
  /// Own thread for reads, which block for as long as the writer takes.
  private let queue = DispatchQueue(label: "pagecat.input")

  /// Reads standard input, or a descriptor in its place, which is not closed.
  package init(descriptor: Int32, name: String = "<stdin>") {
    (self.name, reader, pipe, spool) = (name, InputReader(descriptor: descriptor), nil, nil)
  }

  /// Reads the records that a task writes.
  package init(pipe: RecordPipe) {
    (name, reader, self.pipe, spool) = ("<input>", InputReader(descriptor: -1), pipe, nil)
  }

  /// Reads the records of another run from their start.
  package init(_ records: SharedSpool) {
    (name, reader, pipe, spool) = ("<input>", InputReader(descriptor: -1), nil, SharedSpoolReader(records))
  }

  /// - Parameter option: option or argument that gives the path, for an error.
  package init(path: String, givenBy option: String? = nil) throws(InputError) {
    do {
      reader = try InputReader(path: path)
    } catch {
      let source = option.map { "\($0): " } ?? ""
      throw InputError(problem: "\(source)cannot open '\(path.printable)': \(error.reason)")
    }
    (name, pipe, spool) = (path, nil, nil)
  }

  /// The same input from its start; only records of another run can be read again.
  package var again: Input { spool.map { Input($0.spool) } ?? self }

  /// The name for messages; that of a file is quoted.
  private var shown: String { name.hasPrefix("<") ? name.printable : "'\(name.printable)'" }

  /// Offset in a regular file, for `rewind`; nil for a pipe or the like.
  package var offset: Int? { pipe == nil && spool == nil ? reader.offset : nil }

  /// Continues reading at an offset.
  package func rewind(to offset: Int) throws(InputError) {
    do {
      try reader.seek(to: offset)
    } catch {
      throw InputError(problem: "cannot read \(shown) again: \(error.reason)")
    }
  }

  /// Reads once into a reusable buffer, and returns the number of bytes, 0 at the end.
  func read(into buffer: inout [UInt8]) throws(InputError) -> Int {
    if let pipe { return try pipe.read(into: &buffer) }
    if let spool {
      do { return try spool.read(into: &buffer) } catch { throw InputError(problem: error.problem) }
    }
    do {
      return try reader.read(into: &buffer)
    } catch {
      throw InputError(problem: "cannot read \(shown): \(error.reason)")
    }
  }

  /// Refuses a compressed text by its first bytes.
  func refuseGzip(_ start: ArraySlice<UInt8>) throws(InputError) {
    guard start.starts(with: gzipStart) else { return }
    throw InputError(problem: "\(shown) is a gzip file: decompress it, as in 'gunzip -c FILE | pagecat …'")
  }

  /// Returns the next bytes, or nil at the end.
  package func next() throws(InputError) -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    let got = try read(into: &chunk)
    guard got > 0 else { return nil }
    chunk.removeLast(chunk.count - got)
    return chunk
  }

  /// Size of a chunk: large enough that threads seldom wake each other, and small enough for the caches.
  static let chunkSize = 192 << 10

  /// Tells a task that writes that no more records are wanted.
  func closePipe() { pipe?.close() }

  /// Runs work on the reading thread, one item after the other.
  func inBackground(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Most bytes of a file with settings or secrets, and of a recording.
  package static let (mostSettings, mostRecorded) = (16 << 20, 4 << 30)

  /// Returns all remaining bytes, for files that are held as a whole.
  ///
  /// - Parameter limit: most bytes; a longer file is an error.
  package func readAll(limit: Int) throws(InputError) -> [UInt8] {
    let all = try readStart(limit: limit)
    guard all.count <= limit else {
      let size = limit >= 1 << 30 ? "\(limit >> 30) GB" : "\(limit >> 20) MB"
      throw InputError(problem: "\(shown) has more than \(size)")
    }
    return all
  }

  /// Returns the remaining bytes, and not many after `limit`.
  package func readStart(limit: Int) throws(InputError) -> [UInt8] {
    var all: [UInt8] = []
    while all.count <= limit, let chunk = try next() { all += chunk }
    return all
  }
}

/// A failure to open or read a file: its path, and the system's reason.
package struct InputError: Error, Hashable, Sendable {
  package let problem: String
}

/// Bytes that a task writes and a thread reads; it holds a bounded number of them.
package final class RecordPipe: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    /// Number of the first bytes that the reader has taken.
    var taken = 0
    /// True if the writer has written all.
    var isFinished = false
    /// True if the reader wants no more.
    var isClosed = false
    var problem: String?
    var writer: CheckedContinuation<Void, Never>?
  }

  /// Number of bytes after which the writer waits.
  private static let limit = 192 << 10

  private let state = Locked(State())
  private let news = DispatchSemaphore(value: 0)

  package init() {}

  /// Adds bytes, and waits until there is room for more.
  ///
  /// - Returns: false if the reader wants no more.
  package func write(_ bytes: [UInt8]) async -> Bool {
    let wasEmpty = state.withLock { state in
      defer { state.bytes += bytes }
      return state.taken == state.bytes.count
    }
    // The reader waits only after it has found nothing.
    if wasEmpty { news.signal() }
    await withCheckedContinuation { continuation in
      let mayGoOn = state.withLock { state in
        let mayGoOn = state.isClosed || state.bytes.count - state.taken < Self.limit
        if !mayGoOn { state.writer = continuation }
        return mayGoOn
      }
      if mayGoOn { continuation.resume() }
    }
    return !state.withLock { $0.isClosed }
  }

  /// Ends the bytes, with a problem if there are fewer than there should be.
  package func finish(_ problem: String? = nil) {
    state.withLock { ($0.isFinished, $0.problem) = (true, problem) }
    news.signal()
  }

  /// Ends the pipe for writer and reader.
  package func close() {
    take { $0.isClosed = true }
    news.signal()
  }

  /// Reads at least one byte, or none at the end; blocks the thread until then.
  func read(into buffer: inout [UInt8]) throws(InputError) -> Int {
    while true {
      var (count, isOver, problem) = (0, false, String?.none)
      take { state in
        count = min(buffer.count, state.bytes.count - state.taken)
        (isOver, problem) = (state.isFinished || state.isClosed, state.problem)
        guard count > 0 else { return }
        buffer.replaceSubrange(..<count, with: state.bytes[state.taken..<state.taken + count])
        state.taken += count
        // Moving the rest only now keeps the work for a long record linear.
        guard state.taken > state.bytes.count / 2 else { return }
        state.bytes.removeFirst(state.taken)
        state.taken = 0
      }
      if count > 0 { return count }
      if let problem { throw InputError(problem: problem) }
      if isOver { return 0 }
      news.wait()
    }
  }

  /// Changes the state on the reader's behalf, and lets the writer continue.
  private func take(_ change: (inout State) -> Void) {
    let writer = state.withLock { state in
      change(&state)
      defer { state.writer = nil }
      return state.writer
    }
    writer?.resume()
  }
}

// MARK: NDJSON read ahead: a separate thread reads and scans while the consumers work on earlier records

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
    guard isReading, input.offset != nil else { return }
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
