import Diagnostics
import Engine
import Foundation
import PipelineSpec
import TestSupport
import Testing

/// `FAULT='pages overlap | offset' swift test --filter WrongServerTests` plays the combinations whose name has that text.
@Suite("Servers that are wrong", .limitedConcurrency, .timeLimit(.minutes(20)))
struct WrongServerTests {
  private static let selection = ProcessInfo.processInfo.environment["FAULT"] ?? ""

  private static let shapes: [MatrixShape] = [.alone, .list, .times, .attach]

  /// One of each few combinations of a fault with every pager, by a fixed seed; all that a selection names.
  static func cases(of fault: ModelFault) -> [MatrixCase] {
    var dice = Dice(state: fault.rawValue.utf8.reduce(3) { $0 &* 31 &+ UInt64($1) })
    var cases: [MatrixCase] = []
    for pager in MatrixPager.allCases {
      for shape in shapes {
        for scenario in MatrixScenario.allCases {
          let marks: [MatrixMark] = [.alone, .list].contains(shape) ? [.none, .time] : [.none]
          var matrixCase = MatrixCase(pager: pager, shape: shape, mark: dice.one(marks), scenario: scenario)
          matrixCase.fault = fault
          matrixCase.showsTotal = Bool.random(using: &dice)
          matrixCase.isUnique = shape != .attach && Bool.random(using: &dice)
          // Only without a pager, a size decides which records come.
          let isTaken = Int.random(in: 0..<6, using: &dice) == 0 || pager == .none && fault.limit != nil
          if selection.isEmpty ? isTaken : matrixCase.name.contains(selection) { cases.append(matrixCase) }
        }
      }
    }
    return cases
  }

  @Test(
    "a run is complete only if it has what the server has, and short only if it has not",
    arguments: ModelFault.allCases)
  func play(_ fault: ModelFault) async throws {
    for matrixCase in Self.cases(of: fault) {
      let text = MatrixSpec(matrixCase: matrixCase).text
      let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
      var play = try FaultPlay(matrixCase, fault, spec)
      await play.play()
      let problem = play.problems.isEmpty ? nil : play.problems.joined(separator: "\n")
      let news = KnownMistakes.faults.news(about: matrixCase.name, problem)
      if let news { Issue.record("\(matrixCase.name)\n\(news)\n\(text)") }
    }
  }

  @Test(
    "a run with 'pages: auto' is complete only if it has what the server has", arguments: ModelFault.allCases)
  func playAuto(_ fault: ModelFault) async throws {
    var verdicts: [Verdict?: Int] = [:]
    var dice = Dice(state: fault.rawValue.utf8.reduce(11) { $0 &* 31 &+ UInt64($1) })
    for pager in MatrixPager.allCases {
      for shape in Self.shapes {
        var matrixCase = MatrixCase(
          pager: pager, shape: shape, mark: .none, scenario: dice.one(MatrixScenario.allCases))
        (matrixCase.fault, matrixCase.isAuto) = (fault, true)
        // Without any sign, one page that is not full is the whole.
        matrixCase.showsTotal = Bool.random(using: &dice) || !pager.showsMore
        matrixCase.isUnique = shape != .attach && Bool.random(using: &dice)
        let isTaken = Int.random(in: 0..<3, using: &dice) == 0
        guard Self.selection.isEmpty ? isTaken : matrixCase.name.contains(Self.selection) else { continue }
        var play = try await play(matrixCase)
        verdicts[play.verdict, default: 0] += 1
        guard !play.problems.isEmpty else { continue }
        let problems = play.problems
        // What the pager of the server does not see either, nobody can.
        matrixCase.isAuto = false
        play = try await self.play(matrixCase)
        guard play.problems.isEmpty else { continue }
        for problem in problems { Issue.record("auto | \(matrixCase.name)\n\(problem)") }
      }
    }
    let isWrong = [.errorWithOK, .multiStatus, .saysPartial, .cutsNested, .ignoresPage, .repeatsCursor, .html].contains(
      fault)
    #expect(isWrong || !Self.selection.isEmpty || verdicts[.complete, default: 0] > 0, "\(verdicts)")
  }

  private func play(_ matrixCase: MatrixCase) async throws -> FaultPlay {
    let text = MatrixSpec(matrixCase: matrixCase).text
    let spec = try Spec(reading: SourceText(name: "spec.yaml", bytes: Array(text.utf8)))
    var play = try FaultPlay(matrixCase, try #require(matrixCase.fault), spec)
    await play.play()
    return play
  }

  @Test("every fault meets every shape, and all that may happen to a run", .enabled(if: selection.isEmpty))
  func combinations() {
    for fault in ModelFault.allCases {
      let cases = Self.cases(of: fault)
      #expect(Set(cases.map(\.name)).count == cases.count && cases.count >= 15)
      #expect(Set(cases.map(\.scenario)).count == MatrixScenario.allCases.count)
      #expect(Set(cases.map(\.shape)).count == Self.shapes.count)
    }
    for pager in MatrixPager.allCases {
      #expect(ModelFault.allCases.contains { Self.cases(of: $0).contains { $0.pager == pager } })
    }
  }
}
