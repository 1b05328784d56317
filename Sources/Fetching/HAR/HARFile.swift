/// A HAR file as it is stored: as text, or packed as `.har.gz` (RFC 1952) or as mitmproxy's `.zhar` (RFC 1950).
package enum HARFile {
  /// Limit for the unpacked text, in bytes: a replay holds it in memory.
  private static let limit = 2_000_000_000

  /// Returns the text of a file, unpacked if it is packed, whatever its name is.
  ///
  /// - Throws: `ReplayError` if the packed file is broken, cut short or too large.
  package static func text(_ bytes: [UInt8], name: String) throws(ReplayError) -> [UInt8] {
    guard isPacked(bytes) else { return bytes }
    guard let inflater = Inflater() else {
      throw ReplayError(problem: "'\(name)' is packed, and zlib is missing: install zlib, or unpack the file")
    }
    inflater.give(bytes)
    var text: [UInt8] = []
    while true {
      switch inflater.next() {
      case .bytes(let more): text += more
      case .needsInput where inflater.isWhole: return text
      case .needsInput: throw ReplayError(problem: "'\(name)' is packed, and was cut short")
      case .broken: throw ReplayError(problem: "'\(name)' is packed, and broken: it can't be unpacked")
      case .outOfMemory: throw ReplayError(problem: "'\(name)' can't be unpacked: there is no memory")
      }
      guard text.count <= limit else {
        throw ReplayError(problem: "'\(name)' has more than \(limit) bytes when it is unpacked")
      }
    }
  }

  /// No JSON text begins with either header: that of gzip, or of zlib with its check (RFC 1950 §2.2).
  private static func isPacked(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 2 else { return false }
    let isZlib = bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 + Int(bytes[1])) % 31 == 0
    return bytes.starts(with: [0x1F, 0x8B]) || bytes[0] == 0x78 && isZlib
  }
}
