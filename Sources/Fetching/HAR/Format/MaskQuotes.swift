/// Puts quotes around masks that stand for numbers and words of JSON, so that a redacted body stays JSON.
///
/// A secret may be a number, such as an account's: `{"account":20481234}` would become `{"account":***}`, which no replay
/// could read. The mask of a part (`***34`) takes the place of the whole value.
struct MaskQuotes {
  private enum Place { case start, outside, string, escape, elsewhere }

  /// Longest value that is held; a longer one is written as it is.
  private static let mostHeld = 4_096

  private var place = Place.start
  /// Bytes of a number or word that has not ended.
  private var value: [UInt8] = []

  /// Takes redacted bytes, and returns those that no later byte can change.
  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    if place == .elsewhere { return bytes }
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
    switch (place, byte) {
    case (.start, UInt8(ascii: "{")), (.start, UInt8(ascii: "[")): place = .outside
    case (.start, _) where !Self.isSpace(byte): place = .elsewhere
    case (.outside, UInt8(ascii: "\"")):
      endValue(&found)
      place = .string
    case (.outside, _) where Self.isSpace(byte) || ",:[]{}".utf8.contains(byte): endValue(&found)
    case (.outside, _):
      value.append(byte)
      if value.count > Self.mostHeld {
        found += value
        value = []
      }
      return
    case (.string, UInt8(ascii: "\"")): place = .outside
    case (.string, UInt8(ascii: "\\")): place = .escape
    case (.escape, _): place = .string
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
