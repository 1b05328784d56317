import JSONText
import Wire

extension Run {
  /// The outcome of the run, for the member `_run` of its recording.
  var outcome: JSONValue {
    let counters = report.counters
    let resumedFrom = resumption.map { [("resumedFrom", JSONValue($0.start))] } ?? []
    return JSONValue(
      members: [("started", JSONValue(started)), ("seconds", elapsed.jsonSeconds)] + resumedFrom + figures(counters))
  }

  private func figures(_ counters: RunCounters) -> [(name: String, value: JSONValue)] {
    [
      ("verdict", JSONValue(counters.verdict.rawValue)), ("reason", JSONValue(secrets.redacting(counters.reason))),
      ("records", JSONValue(counters.records)), ("pages", JSONValue(counters.pages)),
      ("requests", JSONValue(counters.requests)), ("retries", JSONValue(counters.retries)),
      (
        "jobs",
        JSONValue(
          elements: jobNames.enumerated().map {
            (counters.jobs[$0] ?? JobCounters()).json(named: secrets.redacting($1))
          })
      ),
      ("timeline", counters.timeline.json),
      ("exit", JSONValue(Int(exitCode.rawValue))),
    ]
  }
}
