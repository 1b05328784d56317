// A body with a `Content-Encoding`, or one that is a gzip file or a zip archive itself: decoded for the reader, and
// checked for completeness.

import CCurl
import Primitives
import Synchronization
import Wire

/// Decodes gzip (RFC 1952), deflate (RFC 9110 §8.4.1), zstd (RFC 8878), brotli (RFC 7932), and archives of one file.
///
/// HTTP's own framing may be complete though a compressed body was cut short. Only the decoder notices.
final class DecodedBody: ReplyBody {
  private enum Kind {
    /// Content codings that the reply names.
    case coding(String)
    /// A gzip file or an archive; if it also has a content coding, that was decoded before.
    case file(RequestSettings.Packing, isCoded: Bool)
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
  private let decoder: (any BodyDecoder)?
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
    let known = codings.count == 1 ? Inflater.codings[codings[0]] : nil
    let decoded = DecodedBody(
      body, of: request, .coding(codings.joined(separator: ", ")), known.flatMap { Inflater($0) })
    return unpacking(decoded, head, of: request, isCoded: true)
  }

  /// Wraps a body that is a gzip file or an archive in a decoder, if the request wants the file's content.
  static func unpacking(
    _ body: any ReplyBody, _ head: ReplyHead, of request: Request, isCoded: Bool
  ) -> any ReplyBody {
    // Replies with another status have a text about the file.
    guard let packing = request.packing, [200, 201, 203].contains(head.status) else { return body }
    let decoder: (any BodyDecoder)? = packing == .zip ? ZipReader() : Inflater()
    return DecodedBody(body, of: request, .file(packing, isCoded: isCoded), decoder)
  }

  private init(_ body: any ReplyBody, of request: Request, _ kind: Kind, _ decoder: (any BodyDecoder)?) {
    self.body = body
    self.request = request
    self.kind = kind
    self.decoder = decoder
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
      switch decoder?.next() ?? .needsInput {
      case .bytes(let bytes): return try counted(bytes)
      case .broken: throw fault(.other, brokenProblem)
      case .outOfMemory: throw CurlOutcome.outOfMemory.fault(for: request)
      case .needsInput:
        guard let bytes = try await body.next() else { return try end() }
        guard let decoder else { throw fault(.other, missingProblem) }
        hasInput.withLock { $0 = true }
        decoder.give(bytes)
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
      guard let decoder else { throw fault(.other, missingProblem) }
      hasInput.withLock { $0 = true }
      decoder.give(start)
    }
    self.isPlain.withLock { $0 = isPlain }
    return isPlain
  }

  var trailers: HTTPFields { body.trailers }

  func cancel() { body.cancel() }

  private func end() throws(TransportError) -> [UInt8]? {
    let bytes = count.withLock { $0 }
    if decoder?.isWhole != false, !isEmptyFile { return nil }
    throw fault(.cut, "the compressed body ends too early, after \(bytes) decoded bytes")
  }

  /// True if a gzip file has no bytes: even with empty content, it would have a header and a trailer.
  private var isEmptyFile: Bool {
    if case .file = kind { !hasInput.withLock { $0 } } else { false }
  }

  private var brokenProblem: String {
    if let problem = decoder?.problem { return problem }
    switch kind {
    case .coding(let coding): return "the body is not what its Content-Encoding says: \(coding)"
    case .file(.zip, _): return "the body is not a zip archive, or a damaged one: see 'unpack'"
    case .file(.gzip, isCoded: false): return "the body is not a gzip file, or a damaged one: see 'unpack'"
    case .file(.gzip, isCoded: true):
      return
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

/// Decodes one body, piece by piece.
protocol BodyDecoder: AnyObject, Sendable {
  /// Takes the next input, which `next` must have asked for.
  func give(_ bytes: [UInt8])
  func next() -> Inflater.Piece
  /// True if the body may end here.
  var isWhole: Bool { get }
  /// The reason why the body is broken, if more is known than that.
  var problem: String? { get }
}

// The decoders and zlib's encoder, loaded at run time like libcurl (CCurl/Inflate.c says why libcurl does not decode).

/// Decodes one compressed body, piece by piece.
final class Inflater: BodyDecoder, @unchecked Sendable {
  // Sendable because a body has one reader.
  private let pointer: OpaquePointer
  /// Input that is not decoded yet; after the data of a file in an archive, the rest of the archive.
  private(set) var input: ArraySlice<UInt8> = []
  private(set) var hasBegun = false
  private(set) var problem: String?
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

  private static let tooWide =
    "the body is zstd with a window of more than 8 MB, which no body of HTTP may need (RFC 9659): write "
    + "'Accept-Encoding: gzip' in 'headers'"

  /// The content codings that can be decoded, with the form of each.
  static let codings = [
    "gzip": ccurl_gzip, "x-gzip": ccurl_gzip, "deflate": ccurl_gzip, "zstd": ccurl_zstd, "br": ccurl_brotli,
  ]

  /// Creates a decoder; nil if its library or memory is missing.
  init?(_ coding: ccurl_coding = ccurl_gzip) {
    guard let pointer = ccurl_inflate_new(coding) else { return nil }
    self.pointer = pointer
  }

  deinit { ccurl_inflate_free(pointer) }

  var isWhole: Bool { ccurl_inflate_is_whole(pointer) }

  func give(_ bytes: [UInt8]) { give(bytes[...]) }

  /// Takes the next input, a part of a larger one that is not copied.
  func give(_ bytes: ArraySlice<UInt8>) { (input, hasBegun) = (bytes, true) }

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
    if outcome == ccurl_inflated_too_wide { problem = Self.tooWide }
    isBroken = outcome == ccurl_inflated_broken || problem != nil
    if !bytes.isEmpty { return .bytes(bytes) }
    return isBroken ? .broken : .needsInput
  }
}
