import Diagnostics
import Foundation
import PipelineSpec
import TestSupport
import Testing

/// Every feature beside every other, on its first run, its second and after an interruption.
///
/// `MATRIX='cursor | windows of dates' swift test --filter MatrixTests` plays the combinations whose name has that text.
@Suite("The matrix: pagers, shapes, marks and what happens to a run", .limitedConcurrency, .timeLimit(.minutes(20)))
struct MatrixTests {
  private static let selection = ProcessInfo.processInfo.environment["MATRIX"] ?? ""

  private static func cases(_ pager: MatrixPager) -> [MatrixCase] {
    MatrixCase.all(of: pager).filter { selection.isEmpty || $0.name.contains(selection) }
  }

  @Test("brings all records once, in order, with as few requests as there must be", arguments: MatrixPager.allCases)
  func play(_ pager: MatrixPager) async throws {
    var specs: [String: Spec] = [:]
    for matrixCase in Self.cases(pager) {
      let text = MatrixSpec(matrixCase: matrixCase).text
      // What happens to a run changes nothing in its spec.
      let spec = try specs[text] ?? Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
      specs[text] = spec
      var play = try MatrixPlay(matrixCase, spec)
      await play.play()
      guard !play.problems.isEmpty else { continue }
      Issue.record("\(matrixCase.name)\n\(play.problems.joined(separator: "\n"))\n\(text)")
    }
  }

  @Test("has every pager with every shape and mark, and each of them with everything that may happen")
  func combinations() {
    let cases = MatrixPager.allCases.flatMap { MatrixCase.all(of: $0) }
    #expect(Set(cases.map(\.name)).count == cases.count)
    func has(_ isWanted: (MatrixCase) -> Bool) -> Bool { cases.contains(where: isWanted) }
    for shape in MatrixShape.allCases where !MatrixMark.all(for: shape, isPlain: true).isEmpty {
      for scenario in MatrixScenario.allCases {
        for pager in MatrixPager.plain {
          #expect(has { $0.pager == pager && $0.shape == shape && $0.scenario == scenario })
        }
        for mark in MatrixMark.all(for: shape, isPlain: true) {
          #expect(has { $0.shape == shape && $0.mark == mark && $0.scenario == scenario })
        }
      }
      for pager in MatrixPager.plain {
        for mark in MatrixMark.all(for: shape, isPlain: true) {
          #expect(has { $0.pager == pager && $0.shape == shape && $0.mark == mark })
        }
      }
    }
    for pager in MatrixPager.allCases { #expect(has { $0.pager == pager && $0.scenario == .killed }) }
    for extra in MatrixExtra.added {
      for pager in MatrixPager.plain { #expect(has { $0.extra == extra && $0.pager == pager }) }
      for shape in MatrixShape.allCases { #expect(has { $0.extra == extra && $0.shape == shape }) }
      for mark in MatrixMark.allCases { #expect(has { $0.extra == extra && $0.mark == mark }, "\(extra), \(mark)") }
      for scenario in MatrixScenario.allCases { #expect(has { $0.extra == extra && $0.scenario == scenario }) }
    }
  }
}
