// What arrives of one response, on its way from libcurl's thread to the reader.

import CCurl

/// The owner of a `ccurl_inflow`.
final class Inflow: @unchecked Sendable {
  // Sendable because the C side locks what both threads touch, and the head is read only after it is whole.
  let pointer: OpaquePointer

  /// - Parameter limit: most bytes of the decoded body.
  init?(limit: Int) {
    guard let pointer = ccurl_inflow_new(UInt64(clamping: limit)) else { return nil }
    self.pointer = pointer
  }

  deinit { ccurl_inflow_free(pointer) }

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

  /// Body bytes that wait for the reader, and whether the transfer waits for it too.
  var backlog: (bytes: Int, isPaused: Bool) {
    var isPaused = false
    let bytes = ccurl_inflow_waiting(pointer, &isPaused)
    return (bytes, isPaused)
  }

  /// The next body bytes, at most 64 KB, and whether the transfer has to be resumed now.
  func take() -> (bytes: [UInt8], wantsResume: Bool)? {
    var wantsResume = false
    guard let block = ccurl_inflow_take(pointer, &wantsResume) else { return nil }
    defer { ccurl_block_free(block) }
    // The block is ours now: `count` bytes follow its head.
    let count = block.pointee.count
    let start = UnsafeRawPointer(block) + MemoryLayout<ccurl_block>.size
    return ([UInt8](UnsafeRawBufferPointer(start: start, count: count)), wantsResume)
  }
}
