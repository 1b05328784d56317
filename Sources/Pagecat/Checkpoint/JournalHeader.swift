// The identity of a run, so that `--resume` can't resume a different one.

import Primitives
import Diagnostics
import FetchPlan
import JSONText
import PipelineSpec
import Wire

/// The inputs that determine every byte of a run's output, except for the servers' replies.
struct JournalHeader: Sendable {
  private static let format = 7

  /// Start of the run in Unix seconds.
  let start: Int
  let json: JSONValue

  /// Creates the header of this run.
  ///
  /// - Parameter since: the highest marks that the last run saw, by job.
  init(
    _ specs: [Spec], _ plan: RunPlan, _ options: RunOptions, _ destination: Destination, since: [String: JSONValue],
    start: Int
  ) {
    self.start = start
    let secrets = plan.secrets
    json = JSONValue(members: [
      ("pagecat", JSONValue(Product.version)), ("journal", JSONValue(Self.format)), ("now", JSONValue(start)),
      (
        "specs",
        JSONValue(
          members: specs.map { ($0.name, JSONValue(elements: $0.jobs.map(Self.identity))) })
      ),
      ("parameters", JSONValue(members: Self.parameters(specs, options, secrets))),
      ("variables", JSONValue(members: plan.decidingVariables.sorted { $0.key < $1.key }.map { ($0, JSONValue($1)) })),
      ("options", JSONValue(members: Self.options(options, destination))),
      ("since", JSONValue(members: Self.since(since, specs, secrets))),
    ])
  }

  /// Parses a header; nil if the line is not a header, or one of another version.
  init?(_ json: JSONValue) {
    guard let start = json["now"]?.integer, json["journal"]?.integer == Self.format else { return nil }
    self.start = start
    self.json = json
  }

  /// Returns a fingerprint for each key of the job that describes requests or records.
  private static func identity(of job: Job) -> JSONValue {
    JSONValue(members: job.identity.map { ($0.key, JSONValue(Array($0.text.utf8).fingerprint)) })
  }

  /// Returns the values of the parameters that requests or records depend on, given or by default.
  private static func parameters(
    _ specs: [Spec], _ options: RunOptions, _ secrets: SecretStore
  ) -> [(name: String, value: JSONValue)] {
    var values: [(name: String, value: JSONValue)] = []
    for spec in specs {
      let all = (try? RunPlan.parameters(of: spec, options)) ?? [:]
      for name in Set(spec.jobs.flatMap(\.decidingParameters)).sorted() {
        guard let parameter = all[name] else { continue }
        let texts = parameter.value.elements.map { JSONValue(secrets.redacting($0.string ?? $0.text)) }
        let isList = parameter.value.kind == .array
        let value = isList ? JSONValue(elements: texts) : JSONValue(secrets.redacting(parameter.text))
        // Two specs may have different defaults.
        guard !values.contains(where: { $0.name == name && $0.value == value }) else { continue }
        values.append((values.contains { $0.name == name } ? "\(name) of \(spec.name)" : name, value))
      }
    }
    // A run that continues on another server would mix the records of two.
    for hole in specs.flatMap(\.jobs).compactMap(\.base?.originHole) where hole.root == .env {
      guard let name = hole.path.steps.first?.name, !values.contains(where: { $0.name == hole.spelling }) else {
        continue
      }
      values.append((hole.spelling, JSONValue(secrets.redacting(options.environment[name] ?? ""))))
    }
    return values
  }

  private static func since(
    _ marks: [String: JSONValue], _ specs: [Spec], _ secrets: SecretStore
  ) -> [(name: String, value: JSONValue)] {
    var names: Set<String> = []
    return specs.flatMap(\.jobs).compactMap(\.since?.job).filter { names.insert($0).inserted }.compactMap { name in
      marks[name].map { (name: name, value: JSONValue(secrets.redacting(Self.identity(of: $0)))) }
    }
  }

  /// Many marks are compared by their fingerprint.
  private static func identity(of mark: JSONValue) -> String {
    guard mark.kind == .object else { return mark.text }
    let count = mark.members.reduce(0) { count, _ in count + 1 }
    return "\(count) mark\(count == 1 ? "" : "s") (\(Array(mark.bytes).fingerprint))"
  }

  private static func options(_ options: RunOptions, _ destination: Destination) -> [(name: String, value: JSONValue)] {
    [
      ("--limit", options.recordLimit.map { JSONValue($0) } ?? .null),
      ("--pages", options.pageLimit.map { JSONValue($0) } ?? .null),
      ("--from", options.firstJob.map { JSONValue($0) } ?? .null),
      ("--append", JSONValue(destination.isAppended)),
    ]
  }

  /// Returns the differences between this run and the interrupted one, one sentence each.
  ///
  /// - Parameter isRemembered: true if this run begins with the marks that the other one saw.
  func differences(from other: JournalHeader, isRemembered: Bool = false) -> [String] {
    Self.differences(json["specs"], other.json["specs"]) { name, ours, theirs in
      guard let ours, let theirs else { return "only one of the two runs has the spec '\(name)'" }
      return "the spec '\(name)' asks for something else now, by \(Self.changedKeys(ours, theirs))"
    }
      + Self.differences(json["parameters"], other.json["parameters"]) { name, ours, theirs in
        // A spec that uses other parameters is another spec.
        guard let ours, let theirs else { return nil }
        return "the parameter '\(name)' was \(theirs.text), now it is \(ours.text)"
      }
      + Self.differences(json["variables"], other.json["variables"]) { name, _, _ in
        "the variable '\(name)' has another value now"
      }
      + Self.differences(isRemembered ? nil : json["since"], isRemembered ? nil : other.json["since"]) {
        name, ours, theirs in
        "'since' of '\(name)' was \(theirs?.string ?? "its start"), now it is \(ours?.string ?? "its start")"
      }
      + Self.differences(json["options"], other.json["options"]) { name, ours, theirs in
        "\(name) was \(Self.spoken(theirs)), now it is \(Self.spoken(ours))"
      }
  }

  private static func changedKeys(_ ours: JSONValue, _ theirs: JSONValue) -> String {
    let (ours, theirs) = (Array(ours.elements), Array(theirs.elements))
    var keys = ours.count == theirs.count ? [] : ["the number of 'steps'"]
    for (index, jobs) in zip(ours, theirs).enumerated() {
      let step = max(ours.count, theirs.count) > 1 ? " of step \(index + 1)" : ""
      keys += differences(jobs.0, jobs.1) { name, _, _ in "'\(name)'\(step)" }
    }
    return keys.prefix(3).joined(separator: ", ") + (keys.count > 3 ? " and others" : "")
  }

  private static func spoken(_ value: JSONValue?) -> String {
    switch value?.kind {
    case .boolean: value?.boolean == true ? "given" : "not given"
    case nil, .null: "not given"
    default: value?.text ?? ""
    }
  }

  private static func differences(
    _ ours: JSONValue?, _ theirs: JSONValue?, _ sentence: (String, JSONValue?, JSONValue?) -> String?
  ) -> [String] {
    let names = [ours, theirs].flatMap { $0.map { Array($0.members).map(\.name) } ?? [] }
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }.compactMap { name in
      ours?[name] == theirs?[name] ? nil : sentence(name.printable, ours?[name], theirs?[name])
    }
  }
}
