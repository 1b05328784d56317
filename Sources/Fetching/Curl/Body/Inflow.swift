// What arrives of one response, on its way from libcurl's thread to the reader.

import CCurl

/// The owner of a `ccurl_inflow`.
final class Inflow: @unchecked Sendable {
  // Sendable because the body has a lock of its own, and the head is read only after it is whole.
  let pointer: OpaquePointer
  let body = BodyQueue()

  /// - Parameter limit: most bytes of the body as it comes.
  init?(limit: Int) {
    let context = Unmanaged.passUnretained(body).toOpaque()
    let pointer = ccurl_inflow_new(
      UInt64(clamping: limit),
      { context, bytes, count in
        // The queue lives as long as this object, which whoever runs the transfer holds; there are `count` bytes.
        guard let context else { return false }
        let body = Unmanaged<BodyQueue>.fromOpaque(context).takeUnretainedValue()
        return body.append(UnsafeBufferPointer(start: bytes, count: count))
      }, context)
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { ccurl_inflow_free(pointer) }

  /// Gives up the request; true when nothing of it has been sent, and nothing will be. On any thread.
  func giveUp() -> Bool { ccurl_inflow_give_up(pointer) }

  /// The lines of the final head, or nil until it is whole. Asked by the transfer's thread, and by the reader after
  /// that thread has told it so.
  var head: [UInt8]? {
    var count = 0
    guard let bytes = ccurl_inflow_head(pointer, &count) else { return nil }
    // The head does not change any more, and there are `count` bytes of it.
    return bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
      [UInt8](UnsafeBufferPointer(start: $0, count: count))
    }
  }

  /// The address that the head came from; asked when it is whole. Nil when that may be a proxy's.
  var peer: String? {
    // A text with an end, which does not change any more.
    let peer = String(cString: ccurl_inflow_peer(pointer))
    return peer.isEmpty ? nil : peer
  }

  var isHeadWhole: Bool {
    var count = 0
    return ccurl_inflow_head(pointer, &count) != nil
  }
}
