import Primitives
import Fetching
import Synchronization
import Wire

/// A body that is there as a whole.
final class ModelBody: ReplyBody {
  private let bytes: Locked<[UInt8]?>

  init(_ text: String) {
    bytes = Locked(Array(text.utf8))
  }

  func next() async throws(TransportError) -> [UInt8]? {
    bytes.withLock { bytes in
      defer { bytes = nil }
      return bytes?.isEmpty == true ? nil : bytes
    }
  }

  func cancel() {}
}
