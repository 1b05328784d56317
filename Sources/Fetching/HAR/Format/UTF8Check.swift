import JSONText
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Checks that bytes that arrive in pieces are UTF-8.
struct UTF8Check {
  private(set) var isValid = true
  private var pending: [UInt8] = []

  mutating func append(_ bytes: [UInt8]) {
    guard isValid else { return }
    let bytes = pending + bytes
    let cut = wholeScalars(in: bytes)
    pending = Array(bytes[cut...])
    isValid = String(validating: bytes[..<cut], as: UTF8.self) != nil
  }

  /// True if all bytes were valid, to the last scalar.
  var isWhole: Bool { isValid && pending.isEmpty }
}
