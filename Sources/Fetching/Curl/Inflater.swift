// zlib's decoder and encoder, loaded at run time like libcurl (CCurl/Inflate.c says why libcurl does not decode).

import CCurl
package import Files

/// Decodes one compressed body, piece by piece.
final class Inflater: @unchecked Sendable {
  // Sendable because a body has one reader.
  private let pointer: OpaquePointer
  private var input: ArraySlice<UInt8> = []
  /// True if the last piece was full, so that the same input may give more.
  private var mayHaveMore = false
  private var isBroken = false

  enum Piece {
    case bytes([UInt8])
    case needsInput
    case broken
    case outOfMemory
  }

  /// Limit for the decoded bytes of a piece.
  private static let room = 64 << 10

  /// Creates a decoder; nil if zlib or memory is missing.
  init?() {
    guard let pointer = ccurl_inflate_new() else { return nil }
    self.pointer = pointer
  }

  deinit { ccurl_inflate_free(pointer) }

  /// True if the body may end here.
  var isWhole: Bool { ccurl_inflate_is_whole(pointer) }

  /// Takes the next input, which `next` must have asked for.
  func give(_ bytes: [UInt8]) { input = bytes[...] }

  func next() -> Piece {
    if isBroken { return .broken }
    guard !input.isEmpty || mayHaveMore else { return .needsInput }
    var (taken, made) = (0, 0)
    var outcome = ccurl_inflated_some
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.room) { room, count in
      outcome = input.withUnsafeBufferPointer { input in
        // The lengths of both buffers are passed with them, and zlib has initialized the `made` bytes.
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

/// gzip as the format of a file (RFC 1952).
package struct GzipFormat: FileFormat {
  package init() {}

  package func packer() throws(FileError) -> any FilePacker {
    guard let pointer = ccurl_deflate_new() else { throw Self.missing }
    return Deflater(pointer)
  }

  package func unpacker() throws(FileError) -> any FileUnpacker {
    guard let inflater = Inflater() else { throw Self.missing }
    return GzipUnpacker(inflater)
  }

  private static let missing = FileError.failed("zlib, which a name that ends with '.gz' needs, can't be loaded")
}

/// Encodes the members of one file.
private final class Deflater: FilePacker, @unchecked Sendable {
  // Sendable because a file has one writer.
  private let pointer: OpaquePointer
  /// Most bytes of one call.
  private static let room = 64 << 10

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { ccurl_deflate_free(pointer) }

  func pack(_ bytes: [UInt8], endsMember: Bool) -> [UInt8] {
    var (rest, packed) = (bytes[...], [UInt8]())
    var isDone = false
    while !isDone {
      var (taken, made) = (0, 0)
      packed += [UInt8](unsafeUninitializedCapacity: Self.room) { room, count in
        isDone = rest.withUnsafeBufferPointer { rest in
          // The lengths of both buffers are passed with them, and zlib has initialized the `made` bytes.
          ccurl_deflate_run(
            pointer, rest.baseAddress, rest.count, endsMember, &taken, room.baseAddress, Self.room, &made)
        }
        count = made
      }
      rest = rest.dropFirst(taken)
    }
    return packed
  }
}

/// Decodes one file of members.
private final class GzipUnpacker: FileUnpacker {
  private let inflater: Inflater

  init(_ inflater: Inflater) { self.inflater = inflater }

  func unpack(_ bytes: [UInt8], _ body: ([UInt8]) throws(FileError) -> Void) throws(FileError) -> Bool {
    inflater.give(bytes)
    while true {
      switch inflater.next() {
      case .bytes(let bytes): try body(bytes)
      case .needsInput: return true
      case .broken, .outOfMemory: return false
      }
    }
  }
}
