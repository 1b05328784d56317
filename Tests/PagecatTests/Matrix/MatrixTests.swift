import Foundation
import TestSupport
import Testing

/// Every feature beside every other, on its first run, its second and after an interruption.
///
/// `MATRIX='cursor | windows of dates' swift test --filter MatrixTests` plays the combinations whose name has that text.
@Suite("The matrix: pagers, shapes, marks and what happens to a run", .limitedConcurrency, .timeLimit(.minutes(10)))
struct MatrixTests {
  private static let selection = ProcessInfo.processInfo.environment["MATRIX"] ?? ""

  private static func cases(_ pager: MatrixPager) -> [MatrixCase] {
    MatrixCase.all(of: pager).filter { selection.isEmpty || $0.name.contains(selection) }
  }

  @Test("brings all records once, in order, with as few requests as there must be", arguments: MatrixPager.allCases)
  func play(_ pager: MatrixPager) async throws {
    for matrixCase in Self.cases(pager) {
      var play = try MatrixPlay(matrixCase)
      await play.play()
      guard !play.problems.isEmpty else { continue }
      let text = MatrixSpec(matrixCase: matrixCase).text
      Issue.record("\(matrixCase.name)\n\(play.problems.joined(separator: "\n"))\n\(text)")
    }
  }

  @Test("has every combination of what the reference names")
  func size() {
    let cases = MatrixPager.plain.flatMap { MatrixCase.all(of: $0) }
    // Each calm one is a first run, one with news and one without.
    #expect(cases.count > 400)
    #expect(Set(cases.map(\.name)).count == cases.count)
  }
}
