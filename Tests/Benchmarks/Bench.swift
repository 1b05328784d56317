// Both sides in the same run, in turn, and the median of their ratios: absolute times differ from hour to hour, and on a
// shared machine from one second to the next, so that only two runs in a row can be compared.

import Foundation

/// A comparison of two commands that do the same work.
struct Bench {
  let name: String
  let ours: [String]
  let peer: [String]
  /// What is added to the peer's time: what the work takes at the least, which the peer does not do.
  var peerSeconds = 0.0
  var input = "/dev/null"
  /// What the ratio must be, as the sentence prints it.
  let target: Target
  /// The most memory that we may take, in megabytes; nil for no bound.
  var megabytes: Double?
  /// What takes milliseconds is run more often than asked, which costs nothing and calms the median; what takes seconds
  /// of waiting, less often.
  var leastRounds = 1
  var mostRounds = Int.max

  enum Target {
    /// We take at most so many times the peer's time.
    case atMost(Double)
    /// We are at least so many times as fast.
    case timesAsFast(Double)
    /// We take in at least so many megabytes each second.
    case megabytes(Double, perSecond: Double)
    /// The ratio is only told.
    case none
  }

  /// Prints a line and says whether the target was met; nil if a command failed.
  func run(rounds: Int) -> Bool? {
    var times: (ours: [Double], peer: [Double]) = ([], [])
    // One round is to see that it runs.
    for round in 0..<(rounds == 1 ? 1 : min(max(rounds, leastRounds), mostRounds)) {
      // By turns who is first: what one leaves behind (dirty pages, a warm cache) must not always meet the other.
      let first = Child.run(round % 2 == 0 ? ours : peer, input: input)
      let second = Child.run(round % 2 == 0 ? peer : ours, input: input)
      let (ours, peer) = round % 2 == 0 ? (first, second) : (second, first)
      guard ours.code == 0, peer.code == 0 else {
        print("\(name): did not run (exit \(ours.code) and \(peer.code))")
        return nil
      }
      times.ours.append(ours.seconds)
      times.peer.append(peer.seconds + peerSeconds)
    }
    let (a, b) = (median(times.ours), median(times.peer))
    let (isFast, sentence) = verdict(a, ratio: median(zip(times.ours, times.peer).map { $0 / $1 }))
    let memory = megabytes == nil ? nil : Child.memory(ours, input: input).map { Double($0) / 1e6 }
    let isSmall = memory ?? 0 <= megabytes ?? .infinity
    let isMet = isFast && isSmall
    print(
      "\(isMet ? "ok  " : "MISS") \(name): \(sentence); \(format(a * 1e3)) ms against \(format(b * 1e3)) ms"
        + (memory.map { ", \(format($0)) MB resident (at most \(format(megabytes ?? 0)))" } ?? ""))
    return isMet
  }

  private func verdict(_ ours: Double, ratio: Double) -> (Bool, String) {
    let sentence = "\(format(ratio)) times \(peerName)"
    switch target {
    case .atMost(let most): return (ratio <= most, "\(sentence) (at most \(format(most)))")
    case .megabytes(let size, let least):
      let rate = "\(format(size / ours)) MB/s (at least \(format(least)))"
      return (size / ours >= least, "\(rate), \(sentence)")
    case .none: return (true, sentence)
    case .timesAsFast(let least):
      return (1 / ratio >= least, "\(format(1 / ratio)) times as fast as \(peerName) (at least \(format(least)))")
    }
  }

  private var peerName: String {
    let word = (peer[0] == "sh" ? peer.last : nil) ?? peer[0]
    let name = word.split(separator: "/").last.map(String.init) ?? word
    return peerSeconds == 0 ? name : "\(name) and \(format(peerSeconds)) s"
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.count % 2 == 1
    ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
}

func format(_ value: Double) -> String { String(format: value < 10 ? "%.2f" : "%.0f", value) }
