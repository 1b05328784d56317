#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import JSONText
import Wire

/// Redacts secrets in bytes that arrive in pieces, also if a secret crosses two pieces.
struct SecretFilter {
  private let secrets: SecretMatcher
  private let isText: Bool
  /// Length of the longest form of a secret, 48 bytes for each byte.
  ///
  /// Base64 makes four bytes of three, each byte may be percent-encoded and that escaped (`\u0025`). The rest of the
  /// factor is for encodings around that.
  private let reach: Int
  private let window: Int
  private var threshold: Int
  private var pending: [UInt8] = []

  /// Creates a filter for the secrets that are known now.
  ///
  /// - Parameter window: number of bytes that are redacted at once.
  init(secrets: SecretStore, isText: Bool, window: Int = 1 << 18) {
    self.secrets = secrets.current
    self.isText = isText
    reach = (secrets.values.map(\.utf8.count).max() ?? 0) * 48
    self.window = max(window, reach)
    threshold = self.window
  }

  /// True if there is anything to redact.
  var hasSecrets: Bool { reach > 0 }

  /// Takes bytes, and returns redacted bytes that no later input can change.
  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    guard reach > 0 else { return bytes }
    pending += bytes
    guard pending.count >= threshold + reach else { return [] }
    return complete()
  }

  mutating func finish(isCut: Bool = false) -> [UInt8] {
    defer { pending = [] }
    return reach > 0 ? masked(pending[...], isCut: isCut) : pending
  }

  /// Returns the redacted bytes before a cut that crosses no secret.
  ///
  /// No secret crosses a cut if redacting both sides separately gives the same result as redacting the whole. If no cut
  /// near the end qualifies, the filter waits for twice as much input.
  private mutating func complete() -> [UInt8] {
    let whole = masked(pending[...])
    for step in 1...8 where step * reach < pending.count {
      let cut = boundary(at: pending.count - step * reach)
      let finished = masked(pending[..<cut])
      guard finished + masked(pending[cut...]) == whole else { continue }
      pending.removeFirst(cut)
      threshold = window
      return finished
    }
    threshold = pending.count * 2
    return []
  }

  private func boundary(at offset: Int) -> Int {
    guard isText else { return offset }
    return pending[..<offset].lastIndex { $0 & 0xC0 != 0x80 } ?? 0
  }

  /// Redacts bytes.
  ///
  /// Those that are not text are treated as Latin-1, where every byte is a character.
  private func masked(_ bytes: ArraySlice<UInt8>, isCut: Bool = false) -> [UInt8] {
    if isText { return Array(secrets.redacting(String(decoding: bytes, as: UTF8.self), isCut: isCut).utf8) }
    var latin = ""
    latin.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
    return secrets.redacting(latin, isCut: isCut).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }
}

/// Puts quotes around masks that stand for numbers and words of JSON, so that a redacted body stays JSON.
///
/// A secret may be a number, such as an account's: `{"account":20481234}` would become `{"account":***}`, which no replay
/// could read. The mask of a part (`***34`) takes the place of the whole value.
struct MaskQuotes {
  private enum State { case start, outside, string, escape, elsewhere }

  /// Longest value that is held; a longer one is written as it is.
  private static let mostHeld = 4_096

  private var state = State.start
  /// Bytes of a number or word that has not ended.
  private var value: [UInt8] = []

  /// Takes redacted bytes, and returns those that no later byte can change.
  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    if state == .elsewhere { return bytes }
    var found: [UInt8] = []
    found.reserveCapacity(bytes.count)
    for byte in bytes { take(byte, &found) }
    return found
  }

  /// Returns the rest.
  mutating func finish() -> [UInt8] {
    var found: [UInt8] = []
    endValue(&found)
    return found
  }

  private mutating func take(_ byte: UInt8, _ found: inout [UInt8]) {
    switch (state, byte) {
    case (.start, UInt8(ascii: "{")), (.start, UInt8(ascii: "[")): state = .outside
    case (.start, _) where !Self.isSpace(byte): state = .elsewhere
    case (.outside, UInt8(ascii: "\"")):
      endValue(&found)
      state = .string
    case (.outside, _) where Self.isSpace(byte) || ",:[]{}".utf8.contains(byte): endValue(&found)
    case (.outside, _):
      value.append(byte)
      if value.count > Self.mostHeld {
        found += value
        value = []
      }
      return
    case (.string, UInt8(ascii: "\"")): state = .outside
    case (.string, UInt8(ascii: "\\")): state = .escape
    case (.escape, _): state = .string
    default: break
    }
    found.append(byte)
  }

  private mutating func endValue(_ found: inout [UInt8]) {
    guard !value.isEmpty else { return }
    found += value.contains(UInt8(ascii: "*")) ? Array("\"***\"".utf8) : value
    value = []
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
