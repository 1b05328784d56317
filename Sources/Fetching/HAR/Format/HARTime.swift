// Times in a HAR: RFC 3339 with milliseconds.

import Primitives

/// A time in Unix seconds, and its text.
enum HARTime {
  /// The time with milliseconds: `2026-03-01T09:30:00.125Z`. A time outside the years 0001 to 9999 is their nearest end.
  static func text(of seconds: Double) -> String { Timestamp(clamping: seconds).rfc3339 }

  /// The time that a text says, or nil. Browsers write an offset where we write `Z`, and more or fewer digits.
  static func seconds(of text: String) -> Double? {
    Timestamp(rfc3339: text, offsetColonIsOptional: true)?.unixTime
  }
}
