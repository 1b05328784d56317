// The last line of a run for machines.

import FetchPlan
import JSONText

extension RunSummary {
  /// Returns one JSON object on one line.
  ///
  /// - Parameter code: exit code of the process.
  package func json(exit code: ExitCode) -> String { value(exit: code).text }

  /// Returns the summary as a JSON object.
  ///
  /// - Parameter stream: the stream that the run is of, in place of the specs' names.
  func value(of stream: String? = nil, exit code: ExitCode) -> JSONValue {
    var members = Self.begin(stream ?? name, label)
    members += [
      ("records", JSONValue(counters.records)), ("pages", JSONValue(counters.pages)),
      ("requests", JSONValue(counters.requests)), ("retries", JSONValue(counters.retries)),
      ("bytes", JSONValue(counters.bytes)), ("seconds", elapsed.jsonSeconds), ("started", JSONValue(started)),
    ]
    if let resumption { members.append(("resumedFrom", JSONValue(resumption.start))) }
    let statuses = counters.statuses.sorted { $0.key < $1.key }.map { ("\($0.key)", JSONValue($0.value)) }
    members += [
      ("inputs", JSONValue(counters.inputs)), ("leftOut", JSONValue(counters.rejected)),
      ("repeats", JSONValue(counters.repeats)),
      ("statuses", JSONValue(members: statuses)),
      (
        "waited",
        JSONValue(members: [
          ("rate", counters.waitedForRate.jsonSeconds), ("retry", counters.waitedForRetry.jsonSeconds),
        ])
      ),
      ("jobs", JSONValue(elements: jobs.enumerated().map { (counters.jobs[$0] ?? JobCounters()).json(named: $1) })),
    ]
    if !counters.chosenPages.isEmpty {
      let pages = counters.chosenPages.sorted { $0.key < $1.key }
      members.append(("auto", JSONValue(members: pages.map { ($0.key, JSONValue($0.value.line)) })))
    }
    if !marks.isEmpty { members.append(("mark", JSONValue(members: marks))) }
    if let output { members.append(("output", JSONValue(output))) }
    if let changes { members.append(("changes", changes.json)) }
    members += [("verdict", JSONValue(counters.verdict.rawValue)), ("reason", JSONValue(counters.reason))]
    if let error = counters.failure?.error { members.append(("error", error.json)) }
    members.append(("exit", JSONValue(Int(code.rawValue))))
    return JSONValue(members: members)
  }

  /// Returns the JSON object of a run that could not begin.
  package static func json(
    ofRefused name: String, label: String?, because reason: String, exit code: ExitCode
  ) -> String {
    refused(name, label, because: reason, exit: code).text
  }

  static func refused(_ name: String, _ label: String?, because reason: String, exit code: ExitCode) -> JSONValue {
    JSONValue(
      members: begin(name, label) + [
        (name: "verdict", value: JSONValue(Verdict.failed.rawValue)), ("reason", JSONValue(reason)),
        ("exit", JSONValue(Int(code.rawValue))),
      ])
  }

  static func begin(_ name: String, _ label: String?) -> [(name: String, value: JSONValue)] {
    [(name: "name", value: JSONValue(name))] + (label.map { [(name: "label", value: JSONValue($0))] } ?? [])
  }
}

extension RunSummary: Encodable {
  /// Encodes the members of `--summary json`.
  public func encode(to encoder: any Encoder) throws { try EncodedValue(value(exit: exitCode)).encode(to: encoder) }
}

/// A JSON value as the `Encodable` of any encoder.
private struct EncodedValue: Encodable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  private let value: JSONValue

  init(_ value: JSONValue) { self.value = value }

  func encode(to encoder: any Encoder) throws {
    switch value.kind {
    case .object:
      var members = encoder.container(keyedBy: Name.self)
      for member in value.members {
        try members.encode(EncodedValue(member.value), forKey: Name(stringValue: member.name))
      }
    case .array:
      var elements = encoder.unkeyedContainer()
      for element in value.elements { try elements.encode(EncodedValue(element)) }
    case .string:
      var text = encoder.singleValueContainer()
      try text.encode(value.string ?? "")
    case .number:
      var number = encoder.singleValueContainer()
      if let integer = value.integer { try number.encode(integer) } else { try number.encode(Double(value.text) ?? 0) }
    case .boolean:
      var boolean = encoder.singleValueContainer()
      try boolean.encode(value.text == "true")
    case .null:
      var null = encoder.singleValueContainer()
      try null.encodeNil()
    }
  }
}
