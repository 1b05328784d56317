import Foundation
import Primitives
import Synchronization

/// The names of a list in `Tests/Known`: runs that are judged wrongly, and are not to be forgotten.
///
/// A test fails when one of them is judged rightly, until its line is taken out. `WRITE_KNOWN=1 swift test` does that.
final class KnownMistakes: Sendable {
  static let answers = KnownMistakes("answers.txt")
  static let faults = KnownMistakes("faults.txt")

  private let file: URL
  private let lines: Locked<[String]>

  private init(_ name: String) {
    file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Known/\(name)")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    lines = Locked(text.split(separator: "\n").map(String.init))
  }

  var names: Set<String> { Set(lines.withLock { $0 }) }

  /// Returns what is wrong, given what a test found; nil if that is nothing, or known.
  func news(about name: String, _ problem: String?) -> String? {
    let isKnown = names.contains(name)
    guard problem == nil, isKnown else { return isKnown ? nil : problem }
    guard ProcessInfo.processInfo.environment["WRITE_KNOWN"] == "1" else {
      return "it is right now: take it out of Tests/Known/\(file.lastPathComponent)"
    }
    lines.withLock { lines in
      lines.removeAll { $0 == name }
      try? lines.map { $0 + "\n" }.joined().write(to: file, atomically: true, encoding: .utf8)
    }
    return nil
  }
}
