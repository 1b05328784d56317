// Times in a HAR file: RFC 3339 with milliseconds.

import Primitives

/// A time in Unix seconds, and its text.
enum HARTime {
  /// The time with milliseconds: `2026-03-01T09:30:00.125Z`.
  ///
  /// A time outside the years 0001 to 9999 becomes the nearest time inside them.
  static func text(of seconds: Double) -> String { Timestamp(clamping: seconds).rfc3339 }

  /// Parses a time, or returns nil.
  ///
  /// Browsers write an offset in place of `Z`, and more or fewer digits.
  static func seconds(of text: String) -> Double? {
    Timestamp(rfc3339: text, offsetColonIsOptional: true)?.unixTime
  }
}
