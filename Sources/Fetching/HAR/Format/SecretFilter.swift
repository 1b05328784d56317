import JSONText
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Masks secrets in bytes that come in pieces, also where a secret lies across two of them.
struct SecretFilter {
  private let secrets: SecretMatcher
  private let isText: Bool
  /// The longest form of a secret that could be cut apart: base64 makes four bytes of three, and each of them may be
  /// percent-encoded, and that be escaped (`\u0025`), and as much again for what is encoded around that.
  private let reach: Int
  private let window: Int
  private var threshold: Int
  private var pending: [UInt8] = []

  /// - Parameter window: how much is masked at once.
  init(secrets: SecretStore, isText: Bool, window: Int = 1 << 18) {
    self.secrets = secrets.current
    self.isText = isText
    reach = (secrets.values.map(\.utf8.count).max() ?? 0) * 48
    self.window = max(window, reach)
    threshold = self.window
  }

  /// The bytes that are settled, masked.
  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    guard reach > 0 else { return bytes }
    pending += bytes
    guard pending.count >= threshold + reach else { return [] }
    return settled()
  }

  mutating func finish(isCut: Bool = false) -> [UInt8] {
    defer { pending = [] }
    return reach > 0 ? masked(pending[...], isCut: isCut) : pending
  }

  /// No secret lies across a place at which masking the two sides apart gives the same as masking the whole. Where
  /// none is found near the end, more is waited for, twice as much each time.
  private mutating func settled() -> [UInt8] {
    let whole = masked(pending[...])
    for step in 1...8 where step * reach < pending.count {
      let cut = boundary(at: pending.count - step * reach)
      let settled = masked(pending[..<cut])
      guard settled + masked(pending[cut...]) == whole else { continue }
      pending.removeFirst(cut)
      threshold = window
      return settled
    }
    threshold = pending.count * 2
    return []
  }

  private func boundary(at offset: Int) -> Int {
    guard isText else { return offset }
    return pending[..<offset].lastIndex { $0 & 0xC0 != 0x80 } ?? 0
  }

  /// Bytes that are no text are masked as if they were Latin-1, where every byte is a character.
  private func masked(_ bytes: ArraySlice<UInt8>, isCut: Bool = false) -> [UInt8] {
    if isText { return Array(secrets.redacting(String(decoding: bytes, as: UTF8.self), isCut: isCut).utf8) }
    var latin = ""
    latin.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
    return secrets.redacting(latin, isCut: isCut).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }
}
