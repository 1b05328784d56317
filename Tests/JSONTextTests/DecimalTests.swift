// Whole numbers beside a decimal number.

import Testing

@testable import JSONText

@Suite struct DecimalTests {
  @Test(
    "A number has a whole number at or below it, and one at or above it",
    arguments: [
      ("12.5", 12, 13), ("12.0", 12, 12), ("-1.25", -2, -1), ("1.25e1", 12, 13), ("1e-9", 0, 1), ("-1e-99", -1, 0),
      ("0.0", 0, 0), ("-0", 0, 0), ("0.1e1", 1, 1), ("9223372036854775806.5", .max - 1, .max),
      ("-9223372036854775807.5", .min, .min + 1),
    ])
  func whole(text: String, below: Int, above: Int) {
    #expect(Decimal(text.utf8).whole(orAbove: false) == below)
    #expect(Decimal(text.utf8).whole(orAbove: true) == above)
  }

  @Test("What is beyond an Int has none", arguments: ["9223372036854775807.5", "1e30", "123456789012345678901.5"])
  func beyond(text: String) {
    #expect(Decimal(text.utf8).whole(orAbove: true) == nil)
  }
}
