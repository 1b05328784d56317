// Bytes of a body, kept until they are taken: libcurl's thread brings them in pieces of at most 16 KB, the reader takes them
// in blocks. A reader that is slower than the server stops the transfer, so that memory does not grow.

import Synchronization
import Wire

final class BodyQueue: Sendable {
  private struct State {
    var blocks: [[UInt8]] = []
    var waiting = 0
    var isPaused = false
  }

  /// Bytes at which a transfer is paused, and at which it goes on.
  private static let highMark = 1 << 20
  private static let lowMark = 512 << 10
  /// More at once would be fresh memory each time (malloc maps it), and out of the cache before it is read: 100 MB took a
  /// fifth longer in blocks of 256 KB.
  private static let blockSize = 64 << 10

  private let state = Locked(State())

  /// Takes a piece, unless too much is waiting: then the transfer has to pause.
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

  /// The next block, and whether the transfer has to be resumed now.
  func take() -> (bytes: [UInt8], wantsResume: Bool)? {
    state.withLock { state in
      guard !state.blocks.isEmpty else { return nil }
      let bytes = state.blocks.removeFirst()
      let before = state.waiting
      state.waiting -= bytes.count
      // Once: on the way down through the mark.
      return (bytes, state.isPaused && before > Self.lowMark && state.waiting <= Self.lowMark)
    }
  }

  func resume() {
    state.withLock { $0.isPaused = false }
  }

  /// Bytes that wait for the reader, and whether the transfer waits for it too.
  var backlog: (bytes: Int, isPaused: Bool) { state.withLock { ($0.waiting, $0.isPaused) } }
}
