// Finds one member in many records, by a search of the text that needs no token index.

import CJSONText

/// Finds a member of each record, for a condition that reads only this member.
struct MemberFinder: Sendable {
  /// Records that one call of the kernel finds.
  private static let most = 128

  private let name: [UInt8]
  private let kernel: Kernel

  /// Nil for a name that may be spelled in several ways, and where no kernel is faster than the token index.
  init?(_ name: [UInt8], _ kernel: Kernel = .best) {
    let isPlain = name.allSatisfy { (0x20..<0x7F).contains($0) && ![0x22, 0x2F, 0x5C].contains($0) }
    guard isPlain, (1...Int(CJSONFindMost)).contains(name.count), !kernel.isPortable else { return nil }
    (self.name, self.kernel) = (name, kernel)
  }

  /// A record's member.
  enum Member {
    case missing
    /// The value begins at this offset.
    case value(at: Int)
    /// Only a scan of the record can tell.
    case unknown
  }

  /// Calls `body` for each record of whole compact lines, with the line, its line feed included.
  ///
  /// The kernel writes two numbers for each record, at most `most` of them, into the buffer of twice as many, and reads
  /// nothing after the text.
  @inline(__always)
  func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>, Member) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * Self.most) { found in
      name.withUnsafeBufferPointer { name in
        guard let base = text.baseAddress, let room = found.baseAddress, let first = name.baseAddress else { return }
        var start = 0
        while start < text.count {
          let count = cjson_find(kernel.code, base, text.count, start, first, name.count, room, Self.most)
          // The last line has no line feed: there is none in lines of records.
          guard count > 0 else { return body(start..<text.count, .unknown) }
          for index in 0..<count {
            let end = Int(truncatingIfNeeded: room[2 &* index]) &+ 1
            let value = room[2 &* index &+ 1]
            body(
              start..<end, value == 0 ? .missing : value == .max ? .unknown : .value(at: Int(truncatingIfNeeded: value))
            )
            start = end
          }
        }
      }
    }
  }
}
