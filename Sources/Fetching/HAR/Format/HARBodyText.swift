// Converts a response body into `content.text`: redacted, then escaped or in base64, a piece at a time.

import JSONText
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Converts a body to the text between the quotes of `content.text`.
///
/// Bodies can be larger than memory, so only a piece is held.
struct HARBodyText {
  private let isText: Bool
  private var filter: SecretFilter
  /// Keeps a redacted JSON text one; nil without secrets.
  private var quotes: MaskQuotes?
  /// Bytes that wait for the rest of their scalar, or of their group of three.
  private var pending: [UInt8] = []

  /// Starts the conversion of a body.
  ///
  /// - Parameter isText: true if the whole body is valid UTF-8; otherwise base64 is written.
  init(isText: Bool, secrets: SecretStore) {
    self.isText = isText
    filter = SecretFilter(secrets: secrets, isText: isText)
    quotes = isText && filter.hasSecrets ? MaskQuotes() : nil
  }

  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    let redacted = filter.append(bytes)
    pending += quotes?.append(redacted) ?? redacted
    let cut = isText ? wholeScalars(in: pending) : pending.count - pending.count % 3
    defer { pending.removeFirst(cut) }
    return encoded(pending.prefix(cut))
  }

  /// Returns the rest of the text.
  ///
  /// - Parameter isCut: true if the body was cut at its end (`SecretMatcher.redacting`).
  mutating func finish(isCut: Bool) -> [UInt8] {
    let redacted = filter.finish(isCut: isCut)
    pending += quotes?.append(redacted) ?? redacted
    pending += quotes?.finish() ?? []
    defer { pending = [] }
    return encoded(pending[...])
  }

  private func encoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    isText
      ? String(decoding: bytes, as: UTF8.self).quotedJSON.dropFirst().dropLast()
      : Array(Data(bytes).base64EncodedString().utf8)
  }
}

/// Returns the length of the longest prefix that doesn't end inside a scalar (Unicode 16, table 3-6).
func wholeScalars(in bytes: [UInt8]) -> Int {
  for back in 1...3 where back <= bytes.count {
    let byte = bytes[bytes.count - back]
    if byte & 0xC0 == 0x80 { continue }
    let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
    return length > back ? bytes.count - back : bytes.count
  }
  return bytes.count
}
