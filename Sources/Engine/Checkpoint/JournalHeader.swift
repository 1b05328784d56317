// The identity of a run, so that `--resume` can't resume a different one.

import Primitives
import Diagnostics
import FetchPlan
import JSONText
import PipelineSpec
import Wire

/// The inputs that determine every byte of a run's output, except for the servers' replies.
struct JournalHeader: Sendable {
  private static let format = 11

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
      ("names", JSONValue(elements: specs.map { JSONValue($0.name) })),
      ("specs", JSONValue(elements: specs.map { JSONValue(elements: $0.jobs.map(Self.identity)) })),
      (
        "parameters",
        JSONValue(elements: specs.map { JSONValue(members: Self.parameters($0, options, secrets, start: start)) })
      ),
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

  /// Returns the values of the parameters that a spec's requests or records depend on, given or by default.
  private static func parameters(
    _ spec: Spec, _ options: RunOptions, _ secrets: SecretStore, start: Int
  ) -> [(name: String, value: JSONValue)] {
    let all = (try? RunPlan.parameters(of: spec, options, start: start)) ?? [:]
    var values = Set(spec.jobs.flatMap(\.decidingParameters)).sorted().compactMap { name in
      all[name].map { (name: name, value: identity(of: $0, secrets)) }
    }
    // A run that continues on another server would mix the records of two.
    for hole in spec.jobs.compactMap(\.base?.originHole) where hole.root == .env {
      guard let name = hole.path.steps.first?.name, !values.contains(where: { $0.name == hole.spelling }) else {
        continue
      }
      values.append((hole.spelling, JSONValue(secrets.identity(of: options.environment[name] ?? ""))))
    }
    return values
  }

  /// Returns the value without secrets, and its spelling where that differs, since a query has the spelling.
  private static func identity(of parameter: RunValues.Parameter, _ secrets: SecretStore) -> JSONValue {
    let value = redacted(parameter.value, secrets)
    guard [.number, .boolean].contains(value.kind), value.text != parameter.text else { return value }
    return JSONValue(elements: [value, JSONValue(secrets.identity(of: parameter.text))])
  }

  private static func redacted(_ value: JSONValue, _ secrets: SecretStore) -> JSONValue {
    if value.kind == .array { return JSONValue(elements: value.elements.map { redacted($0, secrets) }) }
    let text = value.string ?? value.text
    let shown = secrets.identity(of: text)
    return value.kind == .string || shown != text ? JSONValue(shown) : value
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
    return "\(count.counted("mark")) (\(Array(mark.bytes).fingerprint))"
  }

  private static func options(_ options: RunOptions, _ destination: Destination) -> [(name: String, value: JSONValue)] {
    [
      ("--max-records", options.recordLimit.map { JSONValue($0) } ?? .null),
      ("--max-pages", options.pageLimit.map { JSONValue($0) } ?? .null),
      ("--from", options.firstJob.map { JSONValue($0) } ?? .null),
      ("--append", JSONValue(destination.isAppended)),
      ("--replay", JSONValue(options.isReplay)),
    ] + (destination.isMerged ? [("--merge", JSONValue(true))] : [])
  }

  /// Returns the differences between this run and the interrupted one, one sentence each.
  ///
  /// - Parameter isRemembered: true if this run begins with the marks that the other one saw.
  func differences(from other: JournalHeader, isRemembered: Bool = false) -> [String] {
    differencesOfSpecs(from: other)
      + Self.differences(json["variables"], other.json["variables"]) { name, _, _ in
        "the variable '\(name)' has another value now"
      }
      + Self.differences(isRemembered ? nil : json["since"], isRemembered ? nil : other.json["since"]) {
        name, ours, theirs in
        "'since' of '\(name)' was \(theirs?.string ?? "its start"), now it is \(ours?.string ?? "its start")"
      }
      + Self.differences(json["options"], other.json["options"]) { name, ours, theirs in
        "\(name) was \(Self.formatted(theirs)), now it is \(Self.formatted(ours))"
      }
  }

  /// What the run makes a file of, apart from the marks: where this is the same, equal answers give an equal file.
  var writer: String {
    let parts = ["specs", "parameters", "variables", "options"].map { json[$0] ?? .null }
    return "\(JSONValue(elements: parts).line.fingerprint)"
  }

  /// Reports that both runs' specs ask for the same, whatever their parameters are.
  func hasSameSpecs(as other: JournalHeader) -> Bool { json["specs"] == other.json["specs"] }

  /// Returns the differences between the specs, which are compared in order, whatever their names.
  private func differencesOfSpecs(from other: JournalHeader) -> [String] {
    let (ours, theirs) = (json.list("specs"), other.json.list("specs"))
    guard ours.count == theirs.count else {
      return ["the number of specs was \(theirs.count), now it is \(ours.count)"]
    }
    let parameters = (json.list("parameters"), other.json.list("parameters"))
    var sentences: [String] = []
    for (index, name) in json.list("names").enumerated() where ours.indices.contains(index) {
      if ours[index] != theirs[index] {
        let keys = Self.changedKeys(ours[index], theirs[index])
        sentences.append("the spec '\((name.string ?? "").printable)' asks for something else now, by \(keys)")
      }
      guard parameters.0.indices.contains(index), parameters.1.indices.contains(index) else { continue }
      sentences += Self.differences(parameters.0[index], parameters.1[index]) { name, ours, theirs in
        // A spec that uses other parameters is another spec.
        guard let ours, let theirs else { return nil }
        return "the parameter '\(name)' was \(theirs.text), now it is \(ours.text)"
      }
    }
    return sentences.reduce(into: []) { unique, sentence in if !unique.contains(sentence) { unique.append(sentence) } }
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

  private static func formatted(_ value: JSONValue?) -> String {
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

extension JSONValue {
  fileprivate func list(_ name: String) -> [JSONValue] { self[name].map { Array($0.elements) } ?? [] }
}
