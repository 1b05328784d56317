// SHA-256 (FIPS 180-4) and HMAC (RFC 2104): to sign requests, to name a secret without showing it, and for receipts.

/// SHA-256 of bytes that come in pieces.
package struct SHA256: Sendable {
  private var state = Self.first
  private var words = [UInt32](repeating: 0, count: 64)
  /// Bytes that do not fill a block yet.
  private var tail: [UInt8] = []
  private var count = 0

  package init() {}

  /// Returns the hash, 32 bytes.
  package static func hash(_ message: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.combine(message)
    return hash.finalize()
  }

  package mutating func combine(_ bytes: [UInt8]) {
    count += bytes.count
    var start = 0
    if !tail.isEmpty {
      start = min(Self.blockSize - tail.count, bytes.count)
      tail += bytes[..<start]
      guard tail.count == Self.blockSize else { return }
      let block = tail
      add(block, from: 0)
      tail.removeAll(keepingCapacity: true)
    }
    while start + Self.blockSize <= bytes.count {
      add(bytes, from: start)
      start += Self.blockSize
    }
    tail += bytes[start...]
  }

  /// Returns the hash, 32 bytes.
  package consuming func finalize() -> [UInt8] {
    let length = UInt64(count) &* 8
    let zeros = (2 * Self.blockSize - 9 - count % Self.blockSize) % Self.blockSize
    combine(
      [0x80] + [UInt8](repeating: 0, count: zeros)
        + UInt32(truncatingIfNeeded: length >> 32).bytes + UInt32(truncatingIfNeeded: length).bytes)
    return state.flatMap(\.bytes)
  }

  /// Returns the message's authentication code with a key.
  package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > blockSize ? hash(key) : key
    let block = short + [UInt8](repeating: 0, count: blockSize - short.count)
    return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + message))
  }

  private static let blockSize = 64

  private mutating func add(_ bytes: [UInt8], from start: Int) {
    for index in 0..<16 {
      let offset = start + 4 * index
      words[index] =
        UInt32(bytes[offset]) << 24 | UInt32(bytes[offset + 1]) << 16 | UInt32(bytes[offset + 2]) << 8
        | UInt32(bytes[offset + 3])
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let first = early.rotated(by: 7) ^ early.rotated(by: 18) ^ early >> 3
      let second = late.rotated(by: 17) ^ late.rotated(by: 19) ^ late >> 10
      words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let sum = e.rotated(by: 6) ^ e.rotated(by: 11) ^ e.rotated(by: 25)
      let one = h &+ sum &+ (e & f ^ ~e & g) &+ Self.constants[index] &+ words[index]
      let other = a.rotated(by: 2) ^ a.rotated(by: 13) ^ a.rotated(by: 22)
      let two = other &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ one, c, b, a, one &+ two)
    }
    for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
  }

  private static let first: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
  ]

  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
    0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
    0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
    0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
    0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
    0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
    0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
  ]
}

extension UInt32 {
  fileprivate func rotated(by count: UInt32) -> UInt32 { self >> count | self << (32 - count) }

  /// The four bytes, the highest first.
  fileprivate var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}

extension [UInt8] {
  /// The bytes as hexadecimal digits in lower case.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
