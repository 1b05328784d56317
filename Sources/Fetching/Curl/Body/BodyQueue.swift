// Bytes of a body between libcurl's thread, which appends pieces of at most 16 KB, and the reader, which takes blocks.
// A reader that is slower than the server pauses the transfer, so that memory does not grow.

import Primitives
import Synchronization
import Wire

final class BodyQueue: Sendable {
  private struct State {
    var blocks: [[UInt8]] = []
    var waiting = 0
    var isPaused = false
  }

  /// Numbers of waiting bytes at which a transfer is paused, and at which it is resumed.
  private static let highMark = 1 << 20
  private static let lowMark = 512 << 10
  /// Size of a block in bytes.
  ///
  /// A larger block would be fresh memory each time (malloc maps it), and out of the cache before it is read. In blocks
  /// of 256 KB, 100 MB took a fifth longer.
  private static let blockSize = 64 << 10

  private let state = Locked(State())

  /// Appends a piece; returns false if too much is waiting, so that the transfer must pause.
  func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    state.withLock { state in
      state.isPaused = state.waiting >= Self.highMark
      guard !state.isPaused else { return false }
      if (state.blocks.last?.count ?? Self.blockSize) + bytes.count > Self.blockSize {
        var block: [UInt8] = []
        block.reserveCapacity(max(Self.blockSize, bytes.count))
        state.blocks.append(block)
      }
      state.blocks[state.blocks.count - 1].append(contentsOf: bytes)
      state.waiting += bytes.count
      return true
    }
  }

  /// Returns the next block, and whether the transfer must be resumed now.
  func take() -> (bytes: [UInt8], wantsResume: Bool)? {
    state.withLock { state in
      guard !state.blocks.isEmpty else { return nil }
      let bytes = state.blocks.removeFirst()
      let before = state.waiting
      state.waiting -= bytes.count
      // True only once, when the queue falls through the mark.
      return (bytes, state.isPaused && before > Self.lowMark && state.waiting <= Self.lowMark)
    }
  }

  func resume() {
    state.withLock { $0.isPaused = false }
  }

  /// Number of bytes that wait for the reader, and whether the transfer is paused.
  var backlog: (bytes: Int, isPaused: Bool) { state.withLock { ($0.waiting, $0.isPaused) } }
}
