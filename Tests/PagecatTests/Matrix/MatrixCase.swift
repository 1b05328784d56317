/// One combination: a spec, and what happens while it runs.
struct MatrixCase: Sendable {
  let pager: MatrixPager
  let shape: MatrixShape
  let mark: MatrixMark
  let scenario: MatrixScenario
  var concurrency = 1
  var extra = MatrixExtra.none
  var fault: ModelFault?
  /// Whether each page has a total that no key reads.
  var showsTotal = false
  /// Whether the items have `unique`.
  var isUnique = false
  /// Whether the run has to find the pager (`pages: auto`).
  var isAuto = false

  /// As `MATRIX` selects it.
  var name: String {
    let names = [pager.rawValue, shape.rawValue, mark.rawValue, scenario.rawValue]
    let others = (extra == .none ? [] : [extra.rawValue]) + (concurrency > 1 ? ["\(concurrency) at once"] : [])
    let faults =
      (fault.map { [$0.rawValue] } ?? []) + (showsTotal ? ["a total"] : []) + (isUnique ? ["unique"] : [])
      + (isAuto ? ["auto"] : [])
    return (faults + names + others).joined(separator: " | ")
  }

  /// Every pager with every shape and mark.
  ///
  /// What happens to the run besides takes turns: with each shape it happens to each pager and to each mark, but not to
  /// all of them together.
  static func all(of pager: MatrixPager) -> [MatrixCase] {
    var cases: [MatrixCase] = []
    let number = MatrixPager.allCases.firstIndex(of: pager) ?? 0
    for shape in MatrixShape.allCases {
      let marks = MatrixMark.all(for: shape, isPlain: pager.isPlain)
      for (index, mark) in marks.enumerated() {
        for scenario in MatrixScenario.allCases {
          switch scenario {
          case .calm: break
          case .killed: guard !pager.isPlain || (number + index).isMultiple(of: 2) else { continue }
          case .stumbling: guard pager.isPlain, (number + index).isMultiple(of: marks.count) else { continue }
          }
          cases.append(MatrixCase(pager: pager, shape: shape, mark: mark, scenario: scenario))
        }
        guard pager.overlaps, mark == .none || shape == .list else { continue }
        cases.append(MatrixCase(pager: pager, shape: shape, mark: mark, scenario: .killed, concurrency: 3))
      }
      for mark in MatrixMark.few(for: shape, pager) {
        // A run that is killed before its first page begins again at another time.
        for scenario in [MatrixScenario.calm, .killed] where mark != .runStart || scenario == .calm {
          cases.append(MatrixCase(pager: pager, shape: shape, mark: mark, scenario: scenario))
        }
      }
    }
    return cases + MatrixExtra.added.flatMap { extra(of: pager, $0) }
  }

  /// An extra with every second shape of a pager, and the others with the next pager; mark and scenario take turns.
  private static func extra(of pager: MatrixPager, _ extra: MatrixExtra) -> [MatrixCase] {
    guard extra.isPlayed(with: pager) else { return [] }
    var cases: [MatrixCase] = []
    let number = MatrixPager.allCases.firstIndex(of: pager) ?? 0
    let first = number + (MatrixExtra.allCases.firstIndex(of: extra) ?? 0)
    for (index, shape) in MatrixShape.allCases.enumerated() {
      let marks = MatrixMark.all(for: shape, isPlain: true)
      let isTaken = marks.count > 3 || !marks.isEmpty && (first + index).isMultiple(of: 2)
      let taken = isTaken ? [marks[(first + index) / 2 % marks.count]] : []
      for (turn, mark) in (taken + MatrixMark.few(for: shape, pager)).enumerated() {
        let drawn = MatrixScenario.allCases[((first + index) / 2 + turn + index) % MatrixScenario.allCases.count]
        let scenario = mark == .runStart ? .calm : drawn
        cases.append(MatrixCase(pager: pager, shape: shape, mark: mark, scenario: scenario, extra: extra))
      }
    }
    return cases
  }
}
