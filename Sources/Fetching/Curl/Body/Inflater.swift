// zlib's decoder, loaded at run time like libcurl (CCurl/Inflate.c says why it is not libcurl's).

import CCurl

/// Decodes one compressed body, piece by piece.
final class Inflater: @unchecked Sendable {
  // Sendable because a body is read by one reader, and its state is behind a lock.
  private let pointer: OpaquePointer
  private var input: ArraySlice<UInt8> = []
  /// Whether the last piece was full, so that there may be more of the same input.
  private var mayHaveMore = false
  private var isBroken = false

  enum Piece {
    case bytes([UInt8])
    case needsInput
    case broken
    case outOfMemory
  }

  /// Most decoded bytes at once.
  private static let room = 64 << 10

  /// Nil without zlib, or memory.
  init?() {
    guard let pointer = ccurl_inflate_new() else { return nil }
    self.pointer = pointer
  }

  deinit { ccurl_inflate_free(pointer) }

  /// Whether the body may end here.
  var isWhole: Bool { ccurl_inflate_is_whole(pointer) }

  /// Takes what has come. To be called when `next` needs input.
  func give(_ bytes: [UInt8]) { input = bytes[...] }

  func next() -> Piece {
    if isBroken { return .broken }
    guard !input.isEmpty || mayHaveMore else { return .needsInput }
    var (taken, made) = (0, 0)
    var outcome = ccurl_inflated_some
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.room) { room, count in
      outcome = input.withUnsafeBufferPointer { input in
        // Both buffers are as long as is said; what was made is initialized.
        ccurl_inflate_run(pointer, input.baseAddress, input.count, &taken, room.baseAddress, Self.room, &made)
      }
      count = made
    }
    input = input.dropFirst(taken)
    mayHaveMore = made == Self.room
    if outcome == ccurl_inflated_no_memory { return .outOfMemory }
    isBroken = outcome == ccurl_inflated_broken
    if !bytes.isEmpty { return .bytes(bytes) }
    return isBroken ? .broken : .needsInput
  }
}
