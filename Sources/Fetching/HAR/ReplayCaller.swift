import JSONText
import Wire

/// The sender of a request: tells requests with the same method, URL and body apart.
///
/// A secret in a URL is `***` in a recording, so that different URLs may look the same there. Header fields, and the
/// credentials of a job, are no part of a URL at all.
struct ReplayCaller: Sendable {
  /// Name of the job; empty if the recording does not tell the job.
  let job: String
  /// Redacted values of the header fields, by their names in lower case.
  private let fields: [String: String]

  private init(job: String, fields: [(name: String, value: String)]) {
    self.job = job
    self.fields = Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { "\($0)\n\($1)" }
  }

  /// Creates the caller of a request in a replay.
  init(_ request: Request) {
    let fields = request.fields.all.map { ($0.name, $0.isAlwaysSecret ? "***" : $0.value.redacted) }
    self.init(job: request.purpose.job, fields: fields)
  }

  /// Creates the caller of a recorded request.
  init(_ recorded: HARAnswer) {
    let fields = recorded.requestFields?.elements.map { ($0["name"]?.string ?? "", $0["value"]?.string ?? "") }
    self.init(job: recorded.job ?? "", fields: fields ?? [])
  }

  /// Returns the names of the header fields in which some callers differ.
  static func differences(of callers: [ReplayCaller]) -> [String] {
    guard let first = callers.first else { return [] }
    let others = callers.filter { $0.fields != first.fields }
    let names = Set(([first] + others).flatMap(\.fields.keys))
    return names.filter { name in others.contains { $0.fields[name] != first.fields[name] } }.sorted()
  }

  /// Returns a text that is the same for callers of one job with the same values in these header fields.
  func key(job: String, _ names: [String]) -> String {
    ([job] + names.map { fields[$0] ?? "" }).joined(separator: "\0")
  }

  /// Reports that a recorded request may be this one's, as far as the request tells: of the same job, if the recording
  /// names jobs, and with the same values in these header fields, if they are known.
  func fits(_ recorded: ReplayCaller, _ names: [String]) -> Bool {
    guard recorded.job.isEmpty || recorded.job == job else { return false }
    return names.allSatisfy { name in
      guard let value = fields[name] else { return true }
      return (recorded.fields[name] ?? "").matches(masked: value)
    }
  }
}
