import Synchronization

/// Bytes that one `append` gave, as they come out again.
package struct SpoolPiece: Sendable {
  package let bytes: [UInt8]
  /// What the bytes' writer counts in them.
  package let number: Int
  package var companion: (any SpoolCompanion)?
}

extension SpoolPiece {
  /// What an array takes beside its bytes: its header, its place in `held`, the allocator's rounding. Without it many
  /// small arrays would take a multiple of the limit.
  private static let overhead = 96

  var size: Int { bytes.count + (companion?.size ?? 0) + Self.overhead }
}
