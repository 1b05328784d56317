import Testing

@testable import JSONText

@Suite("Facts about lines")
struct FingerprintTests {
  private let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 7) }

  private func hash(_ bytes: [UInt8], piece: Int) -> Int {
    var fingerprint = Fingerprint()
    for start in stride(from: 0, to: bytes.count, by: piece) {
      fingerprint.combine(Array(bytes[start..<min(start + piece, bytes.count)]))
    }
    return fingerprint.finalize()
  }

  @Test("the same bytes have the same hash, however they were cut", arguments: 1...70)
  func pieces(_ piece: Int) {
    #expect(hash(bytes, piece: piece) == hash(bytes, piece: 1_000))
  }

  @Test("one bit, one byte more, or two pieces changed about make another hash")
  func differences() {
    var seen: Set<Int> = [hash(bytes, piece: 1_000)]
    for index in stride(from: 0, to: 1_000, by: 10) {
      var other = bytes
      other[index] ^= 1
      seen.insert(hash(other, piece: 1_000))
    }
    for length in 0..<1_000 { seen.insert(hash(Array(bytes.prefix(length)), piece: 1_000)) }
    seen.insert(hash(Array(bytes[32..<64] + bytes[..<32] + bytes[64...]), piece: 1_000))
    for zeros in 2...100 { seen.insert(hash([UInt8](repeating: 0, count: zeros), piece: 1_000)) }
    #expect(seen.count == 1 + 100 + 1_000 + 1 + 99)
  }

  @Test("lines are counted by their line feeds, at every length")
  func lines() {
    for length in 0..<300 {
      let text = (0..<length).map { UInt8($0 % 3 == 0 ? 10 : 200) }
      #expect(lineCount(of: text) == (length + 2) / 3)
    }
  }
}
