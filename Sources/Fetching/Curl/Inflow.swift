// The head and body of one response between libcurl's thread and the reader.

import CCurl
import Primitives

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
