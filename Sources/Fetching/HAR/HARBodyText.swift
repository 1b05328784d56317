// Converts a response body into `content.text`: redacted, then escaped or in base64, a piece at a time.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import JSONText
import Wire

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

/// Unpacks a HAR file while its bytes arrive; a file that is not packed passes unchanged.
struct HARUnpacker {
  private let name: String
  /// First bytes, until they show whether the file is packed.
  private var head: [UInt8] = []
  private var hasHead = false
  /// The decoder of a packed file.
  private var inflater: Inflater?
  private var count = 0

  /// - Parameter name: name of the file, for messages.
  init(name: String) {
    self.name = name
  }

  /// Takes the next bytes, and passes the text that they contain to `take`.
  ///
  /// - Throws: `ReplayError` if the packed file is broken or too large, and the errors of `take`.
  mutating func unpack(
    _ chunk: [UInt8], to take: ([UInt8]) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    guard !hasHead else { return try give(chunk, to: take) }
    head += chunk
    guard head.count > 2 else { return }
    try begin(to: take)
  }

  /// Ends the file.
  ///
  /// - Throws: `ReplayError` if the packed file was cut short, and the errors of `take`.
  mutating func finish(to take: ([UInt8]) throws(ReplayError) -> Void) throws(ReplayError) {
    if !hasHead { try begin(to: take) }
    if let inflater, !inflater.isWhole { throw ReplayError(problem: "'\(name)' is packed, and was cut short") }
  }

  private mutating func begin(to take: ([UInt8]) throws(ReplayError) -> Void) throws(ReplayError) {
    hasHead = true
    if HARFile.isPacked(head) {
      inflater = Inflater()
      guard inflater != nil else {
        throw ReplayError(problem: "'\(name)' is packed, and zlib is missing: install zlib, or unpack the file")
      }
    }
    let first = head
    head = []
    try give(first, to: take)
  }

  private mutating func give(
    _ chunk: [UInt8], to take: ([UInt8]) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    guard let inflater else { return try take(chunk) }
    inflater.give(chunk)
    while true {
      switch inflater.next() {
      case .bytes(let text):
        count += text.count
        guard count <= HARFile.limit else {
          throw ReplayError(problem: "'\(name)' has more than \(HARFile.limit) bytes when it is unpacked")
        }
        try take(text)
      case .needsInput: return
      case .broken: throw ReplayError(problem: "'\(name)' is packed, and broken: it can't be unpacked")
      case .outOfMemory: throw ReplayError(problem: "'\(name)' can't be unpacked: there is no memory")
      }
    }
  }
}
