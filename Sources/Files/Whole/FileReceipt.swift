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
  package init?(of path: String, calls: SystemCalls = .system) throws(FileError) {
    guard let file = try Descriptor(at: path, calls: calls) else { return nil }
    guard try file.facts().kind == .regular else { throw .failed("cannot read '\(path)': it is not a regular file") }
    var hash = SHA256()
    var (bytes, records) = (0, 0)
    var last = UInt8(ascii: "\n")
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while case let count = try file.read(into: &buffer), count > 0 {
      let piece = count == buffer.count ? buffer : Array(buffer[..<count])
      hash.combine(piece)
      bytes += count
      records += lineCount(of: piece)
      last = piece[count - 1]
    }
    if last != UInt8(ascii: "\n") { records += 1 }
    self.init(bytes: bytes, records: records, sha256: hash.finalize().hexadecimal)
  }
}
