/// A HAR file as it is stored: as text, or packed as `.har.gz` (RFC 1952) or as mitmproxy's `.zhar` (RFC 1950).
package enum HARFile {
  /// Limit for the unpacked text, in bytes: a replay holds it in memory.
  static let limit = 2_000_000_000

  /// Returns the text of a file, unpacked if it is packed, whatever its name is.
  ///
  /// - Throws: `ReplayError` if the packed file is broken, cut short or too large.
  package static func text(_ bytes: [UInt8], name: String) throws(ReplayError) -> [UInt8] {
    guard isPacked(bytes) else { return bytes }
    var unpacker = HARUnpacker(name: name)
    var text: [UInt8] = []
    try unpacker.unpack(bytes) { text += $0 }
    try unpacker.finish { text += $0 }
    return text
  }

  /// Reports that a text begins with the header of gzip, or of zlib with its check (RFC 1950 §2.2); no JSON text does.
  static func isPacked(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 2 else { return false }
    let isZlib = bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 + Int(bytes[1])) % 31 == 0
    return bytes.starts(with: [0x1F, 0x8B]) || bytes[0] == 0x78 && isZlib
  }
}
