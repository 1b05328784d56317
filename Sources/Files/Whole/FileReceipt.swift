// What a file has, so that a reader can tell a whole file from another one.

import JSONText
import Primitives

/// Size, number of lines and hash of a file.
package struct FileReceipt: Sendable, Hashable {
  package let bytes: Int
  package let records: Int
  /// SHA-256 in lower case hexadecimal digits.
  package let sha256: String

  package init(bytes: Int, records: Int, sha256: String) {
    (self.bytes, self.records, self.sha256) = (bytes, records, sha256)
  }

  /// Reads a regular file; nil if it does not exist.
  ///
  /// - Parameter format: unpacks the lines, which are counted; size and hash are those of the file.
  package init?(
    of path: String, as format: (any FileFormat)? = nil, calls: SystemCalls = .system
  ) throws(FileError) {
    guard let file = try Descriptor(at: path, calls: calls) else { return nil }
    guard try file.facts().kind == .regular else { throw .failed("cannot read '\(path)': it is not a regular file") }
    var hash = SHA256()
    var (bytes, records) = (0, 0)
    var last = UInt8(ascii: "\n")
    let unpacker = try format?.unpacker()
    func count(_ lines: [UInt8]) {
      records += lineCount(of: lines)
      last = lines.last ?? last
    }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while case let size = try file.read(into: &buffer), size > 0 {
      let piece = size == buffer.count ? buffer : Array(buffer[..<size])
      hash.combine(piece)
      bytes += size
      guard let unpacker else {
        count(piece)
        continue
      }
      // The hash shows a damaged file.
      _ = try unpacker.unpack(piece, count)
    }
    if last != UInt8(ascii: "\n") { records += 1 }
    self.init(bytes: bytes, records: records, sha256: hash.finalize().hexadecimal)
  }
}
