/// Round times at which an axis has lines.
struct AxisScale: Sendable, Hashable {
  /// Seconds from the beginning, ascending, with 0.
  let ticks: [Double]

  /// - Parameters:
  ///   - span: length of the axis in seconds.
  ///   - count: number of steps at most.
  init(span: Double, count: Int = 5) {
    let steps = Self.steps.first { span / $0 <= Double(count) } ?? span
    ticks = (0...count).map { Double($0) * steps }.filter { $0 <= span }
  }

  /// 1, 2 and 5 with zeros up to a minute, then minutes, hours and days.
  private static let steps: [Double] =
    decades(from: 0.000_1, count: 5) + [10, 20] + clock + decades(from: 86_400, count: 6)
  private static let clock: [Double] = [
    30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200,
  ]

  private static func decades(from first: Double, count: Int) -> [Double] {
    var steps: [Double] = []
    var step = first
    for _ in 0..<count {
      steps += [step, 2 * step, 5 * step]
      step *= 10
    }
    return steps
  }
}
