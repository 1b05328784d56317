// `pages: auto` in place of the pager that a person wrote: the same bytes, or no verdict that promises them.

import Foundation
import TestSupport
import Testing

@Suite("'pages: auto' on the specs of real APIs", .limitedConcurrency)
struct AutoPagesTests {
  /// Specs whose recording has fewer records in its first page than the request asks for, and no sign of more.
  ///
  /// A server that sends such a page has no more records, so that one page is the whole.
  private static let shorter: Set = ["binance", "coingecko", "socrata"]

  /// Specs with one output and one pager in their first job, and their text with `auto`.
  private static let specs: [(name: String, text: String)] = APISpecTests.names.compactMap { name in
    let path = Shell.package + "/pipelines/apis/\(name).yaml"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    let pages = text.matches(of: #/(?m)^pages:.*\n(?: +.*\n)*/#)
    guard pages.count == 1, !text.contains("\nsteps:"), !pages[0].output.contains("auto") else { return nil }
    return (name, text.replacing(pages[0].output, with: "pages: auto\n"))
  }

  @Test("gives the same bytes for most, and is complete for no other whose recording shows that there is more")
  func specs() async throws {
    #expect(Self.specs.count >= 46)
    var same: [String] = []
    var refused: [String] = []
    for (name, text) in Self.specs {
      let folder = try TemporaryFolder(isInMemory: true)
      try folder.write(text, to: "\(name).yaml")
      let result = try await Shell.run(
        "pagecat \(name).yaml --replay $PACKAGE/samples/apis/\(name).har --summary none -q", in: folder.path,
        environment: ["PACKAGE": Shell.package])
      let expected = try String(contentsOfFile: Shell.package + "/samples/apis/\(name).ndjson", encoding: .utf8)
      if result.code == 0, result.output == expected {
        same.append(name)
      } else if result.code == 0 {
        #expect(Self.shorter.contains(name) && expected.hasPrefix(result.output), "\(name): \(result.output)")
      } else {
        refused.append(name)
      }
    }
    #expect(same.count >= 46, "\(same.count) of \(Self.specs.count); refused: \(refused)")
  }

  @Test("is written into the spec by 'pin', and then gives the same bytes again")
  func pinned() async throws {
    for (name, text) in Self.specs.prefix(12) {
      let folder = try TemporaryFolder(isInMemory: true)
      try folder.write(text, to: "\(name).yaml")
      let replay = "--replay $PACKAGE/samples/apis/\(name).har"
      let result = try await Shell.run(
        """
        pagecat \(name).yaml \(replay) -q --summary none > auto || exit 0
        pagecat pin \(name).yaml \(replay) -q || exit 0
        pagecat \(name).yaml \(replay) -q --summary none > pinned; cmp auto pinned
        """, in: folder.path, environment: ["PACKAGE": Shell.package])
      #expect(result.code == 0, "\(name): \(result.output)\(result.error)")
    }
  }
}
