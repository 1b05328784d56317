// A body with a `Content-Encoding`, or one that is a gzip file itself: decoded for the reader, and checked for
// completeness.

import CCurl
package import Files
import Primitives
import Synchronization
import Wire

/// Decodes gzip (RFC 1952) and deflate (RFC 9110 §8.4.1).
///
/// HTTP's own framing may be complete though a compressed body was cut short. Only the decoder notices.
final class DecodedBody: ReplyBody {
  private enum Kind {
    /// Content codings that the reply names.
    case coding(String)
    /// A gzip file; if it also has a content coding, that was decoded before.
    case file(isCoded: Bool)
  }

  /// The content codings that are registered, or were in use (https://www.iana.org/assignments/http-parameters).
  ///
  /// Servers also write `none`, `utf-8`, `8bit` or `aws-chunked` there. A name that is no coding changes nothing: whatever
  /// reads the body finds out if it is not plain.
  private static let codings: Set<String> = [
    "gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz", "exi", "pack200-gzip",
    "aes128gcm", "sdch", "bzip2", "x-bzip2", "lzma", "xz", "lz4", "snappy",
  ]

  let body: any ReplyBody
  private let request: Request
  private let inflater: Inflater?
  private let kind: Kind
  private let count = Locked(0)
  private let hasInput = Locked(false)
  /// True for a plain file; nil until the first two bytes are known.
  private let isPlain: Locked<Bool?>
  /// First bytes of a plain file that nobody has read yet.
  private let plainStart = Locked<[UInt8]>([])

  /// Wraps a body in a decoder; returns the body itself if it is not coded, or if the request wants the stored bytes.
  static func decoding(_ body: any ReplyBody, _ head: ReplyHead, of request: Request) -> any ReplyBody {
    let codings = head.fields.values(of: "Content-Encoding").flatMap { $0.lowercased().split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" } }.filter { Self.codings.contains($0) }
    guard !codings.isEmpty, !request.isFile else { return unpacking(body, head, of: request, isCoded: false) }
    let isKnown = codings.count == 1 && ["gzip", "x-gzip", "deflate"].contains(codings[0])
    let decoded = DecodedBody(
      body, of: request, .coding(codings.joined(separator: ", ")), inflater: isKnown ? Inflater() : nil)
    return unpacking(decoded, head, of: request, isCoded: true)
  }

  /// Wraps a body that is a gzip file in a decoder, if the request wants the file's content.
  static func unpacking(
    _ body: any ReplyBody, _ head: ReplyHead, of request: Request, isCoded: Bool
  ) -> any ReplyBody {
    // Replies with another status have a text about the file.
    guard request.isPacked, [200, 201, 203].contains(head.status) else { return body }
    return DecodedBody(body, of: request, .file(isCoded: isCoded), inflater: Inflater())
  }

  private init(_ body: any ReplyBody, of request: Request, _ kind: Kind, inflater: Inflater?) {
    self.body = body
    self.request = request
    self.kind = kind
    self.inflater = inflater
    if case .file = kind, request.mayBePlain { isPlain = Locked(nil) } else { isPlain = Locked(false) }
  }

  func next() async throws(TransportError) -> [UInt8]? {
    if try await isPlainFile() {
      let start = plainStart.withLock { start in
        defer { start = [] }
        return start
      }
      return start.isEmpty ? try await body.next() : start
    }
    while true {
      switch inflater?.next() ?? .needsInput {
      case .bytes(let bytes): return try counted(bytes)
      case .broken: throw fault(.other, brokenProblem)
      case .outOfMemory: throw CurlOutcome.outOfMemory.fault(for: request)
      case .needsInput:
        guard let bytes = try await body.next() else { return try end() }
        guard let inflater else { throw fault(.other, missingProblem) }
        hasInput.withLock { $0 = true }
        inflater.give(bytes)
      }
    }
  }

  /// Reads the first two bytes, by which a gzip file differs from a plain one (RFC 1952 §2.3.1).
  private func isPlainFile() async throws(TransportError) -> Bool {
    if let known = isPlain.withLock({ $0 }) { return known }
    var start: [UInt8] = []
    while start.count < 2, let bytes = try await body.next() { start += bytes }
    let isPlain = !start.starts(with: [0x1F, 0x8B])
    if isPlain {
      plainStart.withLock { $0 = start }
    } else {
      guard let inflater else { throw fault(.other, missingProblem) }
      hasInput.withLock { $0 = true }
      inflater.give(start)
    }
    self.isPlain.withLock { $0 = isPlain }
    return isPlain
  }

  var trailers: HTTPFields { body.trailers }

  func cancel() { body.cancel() }

  private func end() throws(TransportError) -> [UInt8]? {
    let bytes = count.withLock { $0 }
    if inflater?.isWhole != false, !isEmptyFile { return nil }
    throw fault(.cut, "the compressed body ends too early, after \(bytes) decoded bytes")
  }

  /// True if a gzip file has no bytes: even with empty content, it would have a header and a trailer.
  private var isEmptyFile: Bool {
    if case .file = kind { !hasInput.withLock { $0 } } else { false }
  }

  private var brokenProblem: String {
    switch kind {
    case .coding(let coding): "the body is not what its Content-Encoding says: \(coding)"
    case .file(isCoded: false): "the body is not a gzip file, or a damaged one: see 'unpack'"
    case .file(isCoded: true):
      "the body is not a gzip file once its Content-Encoding is decoded: leave 'unpack' out, or mend what sends it"
    }
  }

  private var missingProblem: String {
    switch kind {
    case .coding(let coding):
      "the body has the Content-Encoding '\(coding)', which was not asked for; write 'Accept-Encoding: identity' in "
        + "'headers'"
    case .file: "zlib, which 'unpack' needs, can't be loaded on this machine"
    }
  }

  private func counted(_ bytes: [UInt8]) throws(TransportError) -> [UInt8] {
    let count = count.withLock { count in
      count += bytes.count
      return count
    }
    guard count <= request.bodyLimit else { throw fault(.tooLarge, request.tooLong) }
    return bytes
  }

  private func fault(_ kind: TransportError.Kind, _ problem: String) -> TransportError {
    body.cancel()
    return TransportError(kind, url: request.url, problem: problem)
  }
}

// zlib's decoder and encoder, loaded at run time like libcurl (CCurl/Inflate.c says why libcurl does not decode).

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

  var isComplete: Bool { inflater.isWhole }

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
