// The recorded answers to requests with the same method, URL and body.

/// Recorded answers in order, apart for each caller.
struct ReplayQueue: Sendable {
  /// The answers to one caller, by their positions among all answers of the queue.
  private struct Lane: Sendable {
    var positions: [Int] = []
    var completed = 0

    /// Position of the next answer; nil if all are completed.
    var first: Int? { completed < positions.count ? positions[completed] : nil }

    /// Returns the position of the next answer, without each 401 that is followed by another answer.
    ///
    /// The recorded run renewed its token after such a 401. A replay has no token. It may also send equal requests in
    /// another order, and must not take the 401s of two requests for the refusal of one.
    mutating func next(_ answer: (_ position: Int) -> HARAnswer) -> Int? {
      let wanted = positions.indices[completed...].first { index in
        guard answer(positions[index]).isRefusal, index + 1 < positions.count else { return true }
        return answer(positions[index + 1]).isCancelled
      }
      guard let wanted else { return nil }
      completed = wanted + 1
      return positions[wanted]
    }
  }

  let body: String
  private(set) var answers: [Int] = []
  /// The answers by caller; empty before the first lookup, since header fields are not decoded before.
  private var lanes: [Lane] = []
  private var laneOfCaller: [String: Int] = [:]
  /// Names of the header fields in which the callers differ.
  private var names: [String] = []

  init(body: String) {
    self.body = body
  }

  /// Adds an answer; must be called before the first lookup.
  mutating func append(_ answer: Int) { answers.append(answer) }

  /// The answers that are not completed, in order.
  var rest: [Int] {
    lanes.isEmpty ? answers : lanes.flatMap { $0.positions[$0.completed...] }.sorted().map { answers[$0] }
  }

  /// Returns the next answer to a caller, or to any caller; nil if all are completed.
  mutating func next(for caller: ReplayCaller?, of recorded: [HARAnswer]) -> Int? {
    divide(recorded)
    let lane = if let caller { lane(of: caller) } else { lanes.indices.min { isEarlier(lanes[$0], lanes[$1]) } }
    guard let lane, let position = lanes[lane].next({ recorded[answers[$0]] }) else { return nil }
    return answers[position]
  }

  /// Reports that the recording has answers to a caller, completed or not.
  mutating func knows(_ caller: ReplayCaller, of recorded: [HARAnswer]) -> Bool {
    divide(recorded)
    return lane(of: caller) != nil
  }

  /// Returns the lane of a caller, or that of a recording without jobs.
  private func lane(of caller: ReplayCaller) -> Int? {
    laneOfCaller[caller.key(job: caller.job, names)] ?? laneOfCaller[caller.key(job: "", names)]
  }

  private func isEarlier(_ lane: Lane, _ other: Lane) -> Bool { (lane.first ?? .max) < (other.first ?? .max) }

  private mutating func divide(_ recorded: [HARAnswer]) {
    guard lanes.isEmpty else { return }
    let callers = answers.map { ReplayCaller(recorded[$0]) }
    names = ReplayCaller.differences(of: callers)
    for (position, caller) in callers.enumerated() {
      let key = caller.key(job: caller.job, names)
      let index = laneOfCaller[key] ?? lanes.count
      if index == lanes.count {
        lanes.append(Lane())
        laneOfCaller[key] = index
      }
      lanes[index].positions.append(position)
    }
  }
}
