package import JSONText

/// Whole lines read from a spool.
package struct HeldLines: Sendable {
  package let lines: [UInt8]
  /// Number of records in `lines`.
  package let count: Int
  /// Token index of `lines`, as far as it is known.
  package let tokenIndex: TokenIndex
}
