// The two encodings of texts that take more than a line to undo: JSON's escapes, and base64.

/// Of digits, those that are safe in URLs too.
enum Base64 {
  /// So many digits stand for three bytes.
  static let group = 4
  /// The fewest digits that can stand for four characters.
  private static let shortest = 6

  /// What each byte is as a digit; 64 for others.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    return values
  }()

  /// Where digits follow each other, enough of them to say something that is encoded.
  static func eachRun(in bytes: [UInt8], _ take: (Range<Int>) -> Void) {
    let values = values
    var start = 0
    for index in 0...bytes.count where index == bytes.count || values[Int(bytes[index])] == 64 {
      if index - start > shortest { take(start..<index) }
      start = index + 1
    }
  }

  /// Hands over the bytes that digits stand for, until that is enough. Bits that are left over say nothing.
  static func decode(_ bytes: [UInt8], _ digits: Range<Int>, _ take: (UInt8) -> Bool) {
    let values = values
    var bits: UInt32 = 0
    var count = 0
    for index in digits {
      bits = bits << 6 | UInt32(values[Int(bytes[index])])
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      guard take(UInt8(truncatingIfNeeded: bits >> count)) else { return }
    }
  }

  /// Whether something of what digits say looks encoded itself. What was never encoded seldom does.
  static func mayHoldEncoded(_ bytes: [UInt8], _ digits: Range<Int>) -> Bool {
    let values = values
    var (last, run) = (0 as UInt8, 0)
    var result = false
    decode(bytes, digits) { byte in
      run = values[Int(byte)] < 64 ? run + 1 : 0
      result =
        run == shortest || last == UInt8(ascii: "%") && URLByte.hexValue(byte) != nil
        || last == UInt8(ascii: "\\") && JSONEscape.isSecond(byte)
        || last == UInt8(ascii: "&") && HTMLEscape.mayHold(byte)
      last = byte
      return !result
    }
    return result
  }
}
