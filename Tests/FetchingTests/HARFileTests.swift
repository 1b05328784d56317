import Foundation
import TestSupport
import Testing

@testable import Fetching

@Suite("A recording that is packed")
struct HARFileTests {
  private static let text = #"{"log":{"entries":[]}}"#

  /// The text as Python's `zlib.compress` packs it, and so mitmproxy.
  private static let zlib = "eJyrVsrJT1eyqlZKzSspykwtVrKKjq2tBQBX7wfh"

  @Test("a text is what it is, also a short one", arguments: ["", "x", "x\u{9c}", "{}", "[1]", "\u{feff}{}"])
  func plain(_ text: String) throws {
    #expect(try HARFile.text(Array(text.utf8), name: "a") == Array(text.utf8))
  }

  @Test("gzip, in one member or several, and zlib are unpacked")
  func packed() throws {
    let (file, zlib) = (gzip(Array(Self.text.utf8)), Array(try #require(Data(base64Encoded: Self.zlib))))
    for bytes in [file, zlib] {
      #expect(try HARFile.text(bytes, name: "a") == Array(Self.text.utf8))
      #expect(throws: ReplayError(problem: "'a' is packed, and was cut short")) {
        try HARFile.text(Array(bytes.dropLast(3)), name: "a")
      }
    }
    #expect(try HARFile.text(file + file, name: "a") == Array((Self.text + Self.text).utf8))
    var broken = file
    broken[20] ^= 0xFF
    #expect(throws: ReplayError.self) { try HARFile.text(broken, name: "a") }
  }
}
