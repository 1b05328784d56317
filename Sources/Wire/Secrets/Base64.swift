// Decoding of base64, one of the encodings in which a secret can hide.

/// Base64 in the standard and in the URL-safe alphabet.
enum Base64 {
  /// Number of digits that encode three bytes.
  static let group = 4
  /// Lowest number of digits that can encode four characters.
  private static let shortest = 6

  /// Value of each byte as a digit; 64 if the byte is not a digit.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    return values
  }()

  /// Calls `take` with each run of digits that is long enough to hold encoded text.
  static func eachRun(in bytes: [UInt8], _ take: (Range<Int>) -> Void) {
    let values = values
    var start = 0
    for index in 0...bytes.count where index == bytes.count || values[Int(bytes[index])] == 64 {
      if index - start > shortest { take(start..<index) }
      start = index + 1
    }
  }

  /// Decodes digits and passes each byte to `take`, until `take` returns false.
  ///
  /// Bits that are left over are ignored.
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

  /// Reports that the decoded digits look encoded themselves, which is rare for text that was never encoded.
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
