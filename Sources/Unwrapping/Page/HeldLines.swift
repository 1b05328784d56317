package import JSONText
import Wire

/// Lines as they come out of a spool.
package struct HeldLines: Sendable {
  package let lines: [UInt8]
  /// Records in them.
  package let count: Int
  /// Where their tokens stand, as far as that is known.
  package let tokenIndex: TokenIndex
}
