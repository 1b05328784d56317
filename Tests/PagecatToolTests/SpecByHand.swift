import Diagnostics
import Foundation
import JSONText
import TestSupport
import YAMLText

/// A spec of `pipelines/apis/`, and the part of it that one request of `new` can find.
struct SpecByHand {
  let name: String
  private let spec: JSONValue

  static let folder = Shell.package + "/pipelines/apis"
  static let samples = Shell.package + "/samples/apis"

  init(_ name: String) throws {
    self.name = name
    let text = try String(contentsOfFile: "\(Self.folder)/\(name).yaml", encoding: .utf8)
    spec = Node.read(SourceText(name: name, bytes: Array(text.utf8))).node.json
  }

  /// The first job, with the keys that stand beside `steps`.
  private var firstJob: JSONValue {
    guard let first = spec["steps"]?.elements.first(where: { _ in true }) else { return spec }
    let own = Set(first.members.map(\.name))
    return JSONValue(
      members: spec.members.filter { $0.name != "steps" && !own.contains($0.name) }.map { ($0.name, $0.value) }
        + first.members.map { ($0.name, $0.value) })
  }

  /// Keys that say what the author wants of the fetched records, and that no answer can tell.
  private static let wishes: Set = [
    "name", "model", "set", "attach", "match", "decode", "where", "drop", "flatten", "incremental", "each", "download",
  ]

  /// The records of the first job for its first input record, as the server sent them.
  func fetched() async throws -> Shell.Result {
    let job = firstJob
    let folder = try TemporaryFolder()
    var input = ""
    if let each = job["each"] {
      // A step without a request has no window that a server could refuse.
      let axes = each.members.map { axis in
        let keys = axis.value.members.filter { $0.name != "split" }.map { ($0.name, $0.value) }
        return (axis.name, axis.value.kind == .object ? JSONValue(members: keys) : axis.value)
      }
      let members = [
        ("params", spec["params"]), ("each", each.kind == .object ? JSONValue(members: axes) : each),
        ("set", JSONValue(members: [])),
      ]
      try write(
        JSONValue(members: members.compactMap { name, value in value.map { (name, $0) } }), to: "each.yaml", in: folder)
      input = try await Shell.run(
        "pagecat each.yaml --replay $HAR --summary none -q | head -n 1", in: folder.path, environment: environment
      ).output
    }
    let plain = job.members.filter { !Self.wishes.contains($0.name) }.map { member -> (String, JSONValue) in
      switch member.name {
      // The name of a map's names is the author's choice.
      case "key": (member.name, JSONValue("key"))
      case "pages" where member.value.kind == .object:
        (
          member.name,
          JSONValue(members: member.value.members.filter { $0.value.string != "known" }.map { ($0.name, $0.value) })
        )
      default: (member.name, member.value)
      }
    }
    try write(JSONValue(members: plain), to: "plain.yaml", in: folder)
    return try await Shell.run(
      "pagecat plain.yaml --replay $HAR --summary none -q", in: folder.path, input: input, environment: environment
    )
  }

  private var environment: [String: String] { ["HAR": "\(Self.samples)/\(name).har"] }

  /// Writes a spec, with the start of `incremental` in place of the last run's mark.
  private func write(_ spec: JSONValue, to file: String, in folder: TemporaryFolder) throws {
    let start = firstJob["incremental"]?["start"].map { $0.string ?? $0.text } ?? ""
    let text = spec.text.replacing("${since}", with: start).replacing("${since?}", with: start)
    _ = try folder.write(text, to: file)
  }

  /// True if items of the query are the ends of a window.
  var hasWindowInQuery: Bool {
    guard let each = firstJob["each"], let query = firstJob["query"] else { return false }
    let spans = each.members.filter { $0.value["window"] != nil }.map(\.name)
    return spans.contains { span in query.members.contains { $0.value.string == "${input.\(span).start}" } }
  }

  /// True if the second step fetches an address that the records of the first have.
  var followsRecords: Bool {
    let second = spec["steps"]?.elements.dropFirst().first { _ in true }
    return second?["endpoint"]?.string?.wholeMatch(of: #/\$\{record\.\w+\}/#) != nil
  }

  /// True if the second step waits for a job that the first one starts.
  var polls: Bool { spec["steps"]?.elements.contains { $0["poll"] != nil } == true }
}
