// A doubt: a legal value that its author probably did not mean.

package import Diagnostics

/// One doubt, with the position of what it is about, if that is a key or a template.
package struct Doubt: Hashable, Sendable {
  package let message: String
  package let position: SourcePosition?
  /// Name of the job that it is about; nil for the whole file.
  package let job: String?

  init(_ message: String, at position: SourcePosition?, job: String? = nil) {
    (self.message, self.position, self.job) = (message, position, job)
  }

  /// The doubt in a message: `jobs.yaml:3:8: …`, or `JOB: …` without a position.
  package func text(in file: String) -> String {
    let origin = position.map { "\(file):\($0)" } ?? job
    return "\(origin.map { "\($0): " } ?? "")\(message)"
  }

  /// The doubt as an error: `jobs.yaml:3:8: error: …`.
  package func errorText(in file: String) -> String {
    let origin = position.map { "\(file):\($0)" } ?? file
    return "\(origin): error: \(message)"
  }
}

extension Job {
  /// Returns a doubt about one of the job's keys, or about a key inside it.
  func doubt(about key: String, _ message: String) -> Doubt {
    let homes = ["dates": "decode", "types": "decode", "keys": "decode", "mark": "incremental"]
    let key = homes[key] ?? key
    return Doubt(message, at: keyPositions.first { $0.key == key }?.position, job: name)
  }

  func doubts(about key: String, _ messages: [String]) -> [Doubt] { messages.map { doubt(about: key, $0) } }
}

extension Spec {
  /// All doubts about the jobs and the file, in the order of the file.
  package var allDoubts: [Doubt] {
    // Several jobs may have a default.
    var seen: Set<Doubt> = []
    let all = (jobs.flatMap { $0.doubts + $0.doubts(about: "each", $0.lossyWindows) } + doubts).filter { doubt in
      doubt.position == nil || seen.insert(Doubt(doubt.message, at: doubt.position)).inserted
    }
    let end = SourcePosition(line: .max, column: 0)
    return all.enumerated().sorted { ($0.element.position ?? end, $0.offset) < ($1.element.position ?? end, $1.offset) }
      .map(
        \.element)
  }
}
