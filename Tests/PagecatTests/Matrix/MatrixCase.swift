/// One combination: a spec, and what happens while it runs.
struct MatrixCase: Sendable {
  let pager: MatrixPager
  let shape: MatrixShape
  let mark: MatrixMark
  let scenario: MatrixScenario
  var concurrency = 1

  /// As `MATRIX` selects it.
  var name: String {
    let names = [pager.rawValue, shape.rawValue, mark.rawValue, scenario.rawValue]
    return (names + (concurrency > 1 ? ["\(concurrency) at once"] : [])).joined(separator: " | ")
  }

  static func all(of pager: MatrixPager) -> [MatrixCase] {
    var cases: [MatrixCase] = []
    for shape in MatrixShape.allCases {
      for mark in MatrixMark.all(for: shape, pager) {
        for scenario in MatrixScenario.allCases where pager.isPlain || scenario != .stumbling {
          cases.append(MatrixCase(pager: pager, shape: shape, mark: mark, scenario: scenario))
        }
        guard pager.overlaps, mark == .none || shape == .list else { continue }
        cases.append(MatrixCase(pager: pager, shape: shape, mark: mark, scenario: .killed, concurrency: 3))
      }
    }
    return cases
  }
}
