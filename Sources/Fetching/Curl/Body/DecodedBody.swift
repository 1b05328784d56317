// A body with a `Content-Encoding`, decoded for the reader, and checked for completeness.

import Synchronization
import Wire

/// Decodes gzip (RFC 1952) and deflate (RFC 9110 §8.4.1).
///
/// HTTP's own framing may be complete though a compressed body was cut short. Only the decoder notices.
final class DecodedBody: ReplyBody {
  let body: any ReplyBody
  private let request: Request
  private let inflater: Inflater?
  /// Content codings that the reply names.
  private let coding: String
  private let count = Locked(0)

  /// Wraps a body in a decoder; returns the body itself if it is not coded, or wanted as the server stores it.
  static func decoding(_ body: any ReplyBody, _ head: ReplyHead, of request: Request) -> any ReplyBody {
    let codings = head.fields.values(of: "Content-Encoding").flatMap { $0.lowercased().split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" } }.filter { $0 != "identity" && !$0.isEmpty }
    guard !codings.isEmpty, !request.isFile else { return body }
    let isKnown = codings.count == 1 && ["gzip", "x-gzip", "deflate"].contains(codings[0])
    return DecodedBody(
      body, of: request, coding: codings.joined(separator: ", "), inflater: isKnown ? Inflater() : nil)
  }

  private init(_ body: any ReplyBody, of request: Request, coding: String, inflater: Inflater?) {
    self.body = body
    self.request = request
    self.coding = coding
    self.inflater = inflater
  }

  func next() async throws(TransportError) -> [UInt8]? {
    while true {
      switch inflater?.next() ?? .needsInput {
      case .bytes(let bytes): return try counted(bytes)
      case .broken: throw fault(.other, "the body is not what its Content-Encoding says: \(coding)")
      case .outOfMemory: throw CurlOutcome.outOfMemory.fault(for: request)
      case .needsInput:
        guard let bytes = try await body.next() else { return try end() }
        guard let inflater else { throw fault(.other, "the body is coded as '\(coding)', which was not asked for") }
        inflater.give(bytes)
      }
    }
  }

  func cancel() { body.cancel() }

  private func end() throws(TransportError) -> [UInt8]? {
    guard let inflater, !inflater.isWhole else { return nil }
    let bytes = count.withLock { $0 }
    throw fault(.cut, "the compressed body ends too early, after \(bytes) decoded bytes")
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

extension Request {
  /// Message about a body over the limit.
  var tooLong: String { "the body is longer than bodyLimit, \(bodyLimit) bytes; give a larger one if it may be" }
}
