// A response body on its way into `content.text`: masked, then escaped or in base64, a piece at a time.

import JSONText
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What stands between the quotes of `content.text`. Bodies can be larger than memory, so nothing is held but a piece.
struct HARBodyText {
  private let isText: Bool
  private var filter: SecretFilter
  /// Bytes that wait for the rest of their scalar, or of their group of three.
  private var pending: [UInt8] = []

  /// - Parameter isText: whether the whole body is valid UTF-8; if not, it is written in base64.
  init(isText: Bool, secrets: SecretStore) {
    self.isText = isText
    filter = SecretFilter(secrets: secrets, isText: isText)
  }

  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    pending += filter.append(bytes)
    let cut = isText ? wholeScalars(in: pending) : pending.count - pending.count % 3
    defer { pending.removeFirst(cut) }
    return encoded(pending.prefix(cut))
  }

  /// - Parameter isCut: whether the body goes on behind its end (`SecretMatcher.masking`).
  mutating func finish(isCut: Bool) -> [UInt8] {
    pending += filter.finish(isCut: isCut)
    defer { pending = [] }
    return encoded(pending[...])
  }

  private func encoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    isText
      ? String(decoding: bytes, as: UTF8.self).quotedJSON.dropFirst().dropLast()
      : Array(Data(bytes).base64EncodedString().utf8)
  }
}

/// Whether bytes that come in pieces are UTF-8.
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

  /// Whether all of it was, to the last scalar.
  var isWhole: Bool { isValid && pending.isEmpty }
}

/// The longest prefix that doesn't end inside a scalar (Unicode 16, table 3-6).
private func wholeScalars(in bytes: [UInt8]) -> Int {
  for back in 1...3 where back <= bytes.count {
    let byte = bytes[bytes.count - back]
    if byte & 0xC0 == 0x80 { continue }
    let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
    return length > back ? bytes.count - back : bytes.count
  }
  return bytes.count
}

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
