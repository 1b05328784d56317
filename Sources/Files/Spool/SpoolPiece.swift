/// The bytes of one `append`, with their number and companion.
package struct SpoolPiece: Sendable {
  package let bytes: [UInt8]
  /// Count that the writer attached to the bytes.
  package let number: Int
  package var companion: (any SpoolCompanion)?
}

extension SpoolPiece {
  /// Memory of an array besides its bytes: its header, its slot in `held`, and the allocator's rounding.
  ///
  /// Without it, many small arrays would take a multiple of the limit.
  private static let overhead = 96

  var size: Int { bytes.count + (companion?.size ?? 0) + Self.overhead }
}
