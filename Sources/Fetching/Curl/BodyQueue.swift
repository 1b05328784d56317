// Bytes of a body between libcurl's thread, which appends pieces of at most 16 KB, and the reader, which takes blocks.
// A reader that is slower than the server pauses the transfer, so that memory does not grow.

import CCurl
import Files
import Primitives
import Synchronization
import Wire

final class BodyQueue: Sendable {
  private struct State {
    /// The first blocks, in memory.
    var blocks: [[UInt8]] = []
    var waiting = 0
    var isPaused = false
    /// The following blocks, in a file; nil while there are none.
    var rest: Spool?
    /// The last block, while there is a `rest` before it.
    var last: [UInt8] = []
  }

  /// Numbers of waiting bytes at which a transfer is paused, and at which it is resumed.
  private static let highMark = 1 << 20
  private static let lowMark = 512 << 10
  /// Number of waiting bytes at which a transfer is paused if a pause would hold up other transfers.
  ///
  /// The bytes above `highMark` wait in a file.
  static let highestMark = 256 << 20
  /// Size of a block in bytes.
  ///
  /// A larger block would be fresh memory each time (malloc maps it), and out of the cache before it is read. In blocks
  /// of 256 KB, 100 MB took a fifth longer.
  private static let blockSize = 64 << 10

  private let highestMark: Int
  private let makeFile: @Sendable () -> Spool
  private let state = Locked(State())

  /// Creates an empty queue.
  ///
  /// - Parameter makeFile: creates the file for bytes above `highMark`.
  init(highestMark: Int = BodyQueue.highestMark, makeFile: @escaping @Sendable () -> Spool) {
    (self.highestMark, self.makeFile) = (highestMark, makeFile)
  }

  /// Creates an empty queue whose file is in the folder that `TMPDIR` names.
  convenience init(environment: Environment) {
    self.init { Spool(memoryLimit: 0, environment: environment) }
  }

  /// Appends a piece; returns false if too much is waiting, so that the transfer must pause.
  ///
  /// - Parameter mayPause: false if a pause would hold up other transfers. Such a transfer is paused only if very much is
  ///   waiting, or the file can't be written.
  func append(_ bytes: UnsafeBufferPointer<UInt8>, mayPause: Bool = true) -> Bool {
    state.withLock { state in
      let isFull = state.rest != nil || state.waiting >= Self.highMark
      state.isPaused = isFull && !(!mayPause && state.waiting < highestMark && keep(bytes, &state))
      guard !state.isPaused else { return false }
      state.waiting += bytes.count
      guard !isFull else { return true }
      if (state.blocks.last?.count ?? Self.blockSize) + bytes.count > Self.blockSize {
        var block: [UInt8] = []
        block.reserveCapacity(max(Self.blockSize, bytes.count))
        state.blocks.append(block)
      }
      state.blocks[state.blocks.count - 1].append(contentsOf: bytes)
      return true
    }
  }

  /// Keeps bytes after those in memory; returns false if they can't be written to a file.
  private func keep(_ bytes: UnsafeBufferPointer<UInt8>, _ state: inout State) -> Bool {
    let rest = state.rest ?? makeFile()
    if state.last.count + bytes.count > Self.blockSize {
      do {
        try rest.append(state.last)
        state.last.removeAll(keepingCapacity: true)
      } catch {
        // At `lowMark` or below, no read would resume the transfer (see `take`), so these few bytes stay in memory.
        guard state.waiting <= Self.lowMark else { return false }
      }
    }
    state.last.append(contentsOf: bytes)
    state.rest = rest
    return true
  }

  /// Returns the next block, and whether the transfer must be resumed now.
  ///
  /// - Throws: `FileError` if the block was in a file that can't be read.
  func take() throws(FileError) -> (bytes: [UInt8], wantsResume: Bool)? {
    try state.withLock { (state) throws(FileError) in
      guard let bytes = try next(&state) else { return nil }
      let before = state.waiting
      state.waiting -= bytes.count
      // True only once, when the queue falls through the mark.
      return (bytes, state.isPaused && before > Self.lowMark && state.waiting <= Self.lowMark)
    }
  }

  private func next(_ state: inout State) throws(FileError) -> [UInt8]? {
    if !state.blocks.isEmpty { return state.blocks.removeFirst() }
    guard let rest = state.rest else { return nil }
    if let bytes = try rest.next() { return bytes }
    defer { (state.rest, state.last) = (nil, []) }
    return state.last
  }

  func resume() {
    state.withLock { $0.isPaused = false }
  }

  /// Number of bytes that wait for the reader, and whether the transfer is paused.
  var backlog: (bytes: Int, isPaused: Bool) { state.withLock { ($0.waiting, $0.isPaused) } }
}

// MARK: The head and body of one response between libcurl's thread and the reader

/// The owner of a `ccurl_inflow`.
final class Inflow: @unchecked Sendable {
  // Sendable because the body has its own lock, and the head is read only when it is whole.
  let pointer: OpaquePointer
  let body: BodyQueue

  /// Creates an inflow; nil without memory.
  ///
  /// - Parameters:
  ///   - limit: limit for the body before decoding, in bytes.
  ///   - environment: `TMPDIR`, for bytes that wait in a file.
  init?(limit: Int, environment: Environment) {
    body = BodyQueue(environment: environment)
    let context = Unmanaged.passUnretained(body).toOpaque()
    let pointer = ccurl_inflow_new(
      UInt64(clamping: limit),
      { context, bytes, count, mayBeShared in
        // The queue lives as long as this object, which the owner of the transfer holds. `bytes` has `count` bytes.
        guard let context else { return false }
        let body = Unmanaged<BodyQueue>.fromOpaque(context).takeUnretainedValue()
        return body.append(UnsafeBufferPointer(start: bytes, count: count), mayPause: !mayBeShared)
      }, context)
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { ccurl_inflow_free(pointer) }

  /// Cancels the request on any thread; returns true if nothing of it was or will be sent.
  func cancel() -> Bool { ccurl_inflow_give_up(pointer) }

  /// The lines of the final head, or nil until it is whole.
  ///
  /// The transfer's thread reads it, and the reader after that thread has reported a whole head.
  var head: [UInt8]? {
    var count = 0
    guard let bytes = ccurl_inflow_head(pointer, &count) else { return nil }
    // The head no longer changes, and it has `count` bytes.
    return bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
      [UInt8](UnsafeBufferPointer(start: $0, count: count))
    }
  }

  /// The lines of the trailers, once the transfer has ended.
  var trailers: [UInt8] {
    var count = 0
    guard let bytes = ccurl_inflow_trailers(pointer, &count) else { return [] }
    // The trailers no longer change, and they have `count` bytes.
    return bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
      [UInt8](UnsafeBufferPointer(start: $0, count: count))
    }
  }

  /// Address that sent the head, once the head is whole; nil if that may be a proxy.
  var peer: String? {
    // The text is terminated and no longer changes.
    let peer = String(cString: ccurl_inflow_peer(pointer))
    return peer.isEmpty ? nil : peer
  }

  /// Time until the connection was there, once the head is whole: 0 for a used connection, nil if it is not known.
  var connectTime: Duration? {
    let time = ccurl_inflow_connect_time(pointer)
    return time < 0 ? nil : .microseconds(time)
  }

  var isHeadWhole: Bool {
    var count = 0
    return ccurl_inflow_head(pointer, &count) != nil
  }
}
