// Which lines hold a text.

import CJSONText

/// Counts the lines of NDJSON that hold a text.
package struct TokenSearch: Sendable {
  private let token: CJSONToken
  private let kernel: Kernel

  /// - Parameters:
  ///   - text: 8 to 32 bytes.
  ///   - probes: three bytes of the text that are rare where it is looked for, by their places.
  package init(_ text: [UInt8], probes: (Int, Int, Int), kernel: Kernel = .best) {
    var token = CJSONToken()
    withUnsafeMutableBytes(of: &token.text) { $0.copyBytes(from: text.prefix($0.count)) }
    token.length = min(text.count, Int(CJSONTokenRoom))
    token.probes = (probes.0, probes.1, probes.2)
    self.token = token
    self.kernel = kernel
  }

  /// The number of lines with the text in them, once each.
  package func countLines(of lines: [UInt8]) -> Int {
    lines.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return withUnsafePointer(to: token) { token in
        var (count, start) = (0, 0)
        while true {
          let place = cjson_find(kernel.code, base, start, bytes.count, token)
          guard place < bytes.count else { return count }
          count += 1
          start = SIMDScan.firstLineFeed(base, from: place, to: bytes.count) + 1
          guard start < bytes.count else { return count }
        }
      }
    }
  }
}
