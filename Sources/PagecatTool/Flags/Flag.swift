// All flags: name, value, effect, and line of help.

import Diagnostics
import Pagecat
import PipelineSpec

/// One flag.
struct Flag: Sendable {
  /// Name without the dashes.
  let name: String
  var short: Character?
  /// Placeholder for the value in the help; nil if the flag takes none.
  var value: String?
  let help: String
  /// Applies the flag with its value ("" if it takes none).
  let apply: @Sendable (inout Invocation, String) throws(UsageError) -> Void
}

extension Flag {
  static let output = Flag(
    name: "output", short: "o", value: "FILE", help: "write records to FILE, which is replaced when they are all there"
  ) { (invocation, value) throws(UsageError) in
    guard !value.isEmpty else { throw UsageError(message: "-o takes the name of a FILE, or '-' for standard output") }
    // These name standard output: a file that the shell has opened must not be replaced.
    invocation.output = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(value) ? "-" : value
  }
  static let page = Flag(
    name: "output", short: "o", value: "FILE", help: "write the page to FILE, which is replaced when the page is whole",
    apply: output.apply)
  static let append = Flag(name: "append", help: "with -o: add the records to FILE") { invocation, _ in
    invocation.isAppended = true
  }
  static let resume = Flag(name: "resume", help: "with -o: resume an interrupted run") {
    invocation, _ in
    invocation.isResumed = true
  }
  static let onceDone = Flag(
    name: "once", help: "with --resume: a run that is done stays done; run again, it asks for nothing"
  ) { invocation, _ in
    invocation.isOnce = true
  }
  static let every = Flag(
    name: "every", value: "60s", help: "repeat the run at this interval, from start to start; runs never overlap"
  ) { (invocation, value) throws(UsageError) in
    guard let interval = Duration(spelled: value) else {
      throw UsageError(message: "--every takes a duration such as 60s, 500ms, 5m or 1h, not '\(value.printable)'")
    }
    invocation.interval = interval
  }
  static let state = Flag(
    name: "state", value: "FILE", help: "remember in FILE what 'incremental' saw, for '${since}' next time"
  ) { (invocation, value) throws(UsageError) in
    invocation.state = try name(value, "--state")
  }
  static let tokens = Flag(
    name: "tokens", value: "FILE", help: "keep in FILE the refresh tokens that a server gives in place of 'refresh'"
  ) { (invocation, value) throws(UsageError) in
    invocation.tokens = try name(value, "--tokens")
  }
  static let secrets = Flag(
    name: "secrets", value: "DIR", help: "folder with the files that '${file.NAME}' reads"
  ) { (invocation, value) throws(UsageError) in
    invocation.secretsFolder = try name(value, "--secrets", of: "folder")
  }
  static let rejects = Flag(
    name: "rejects", value: "FILE", help: "write the input records that 'onError' left out or answered empty to FILE"
  ) { (invocation, value) throws(UsageError) in
    invocation.rejects = try name(value, "--rejects")
  }
  static let from = Flag(name: "from", value: "STEP", help: "start at STEP, with records from standard input") {
    $0.firstJob = $1
  }
  static let dir = Flag(name: "dir", value: "DIR", help: "save downloads below DIR (the current folder)") {
    (invocation, value) throws(UsageError) in
    invocation.folder = try name(value, "--dir", of: "folder")
  }
  static let record = Flag(name: "record", value: "FILE.har", help: "write every exchange to FILE.har (HAR 1.2)") {
    (invocation, value) throws(UsageError) in
    invocation.recording = try name(value, "--record")
  }
  static let replay = Flag(
    name: "replay", value: "FILE.har", help: "answer from FILE.har, with no network at all"
  ) { (invocation, value) throws(UsageError) in
    invocation.replay = try name(value, "--replay")
  }
  static let limit = Flag(name: "limit", value: "N", help: "end after N final records") {
    (invocation, value) throws(UsageError) in
    invocation.recordLimit = try number(value, "--limit")
  }
  static let pages = Flag(name: "pages", value: "N", help: "fetch N pages of a stream at most") {
    (invocation, value) throws(UsageError) in
    invocation.pageLimit = try number(value, "--pages")
  }
  static let concurrency = Flag(
    name: "concurrency", value: "N", help: "requests of a job in flight at most; the output is the same"
  ) { (invocation, value) throws(UsageError) in
    invocation.concurrency = try number(value, "--concurrency", most: 256)
  }
  static let rate = Flag(
    name: "rate", value: "5/s", help: "requests to an origin at most; of it and 'rate' of the specs, the strictest"
  ) { (invocation, value) throws(UsageError) in
    guard let rate = Job.Rate(spelled: value) else {
      throw UsageError(message: "--rate takes a rate such as 5/s, 12.5/s, 100/m or 1000/h, not '\(value.printable)'")
    }
    invocation.rate = rate
  }
  static let pace = Flag(
    name: "pace", value: "FILE", help: "runs on one machine that name the same FILE share 'rate', limits and pauses"
  ) { (invocation, value) throws(UsageError) in
    invocation.pace = try name(value, "--pace")
  }
  static let allow = Flag(
    name: "allow", value: "partial,short",
    help: "end with 0 where the verdict is one of these; -o FILE then gets its name"
  ) { (invocation, value) throws(UsageError) in
    let verdicts = value.split(separator: ",", omittingEmptySubsequences: false).map { Verdict(rawValue: String($0)) }
    guard verdicts.allSatisfy({ $0 == .partial || $0 == .short }) else {
      throw UsageError(message: "--allow takes 'partial', 'short' or 'partial,short', not '\(value.printable)'")
    }
    invocation.allowed.formUnion(verdicts.compactMap { $0 })
  }
  static let summary = Flag(
    name: "summary", value: "auto|text|json|none",
    help: "the last line on standard error; auto: on a terminal, or when not complete"
  ) { (invocation, value) throws(UsageError) in
    guard let form = Invocation.SummaryForm(rawValue: value) else {
      throw UsageError(message: "--summary is auto, text, json or none, not '\(value.printable)'")
    }
    invocation.summary = form
  }
  static let label = Flag(
    name: "label", value: "TEXT", help: "a name for the run, in messages and the summary, such as a partition's number"
  ) { (invocation, value) throws(UsageError) in
    guard !value.isEmpty else { throw UsageError(message: "--label takes a TEXT, and was given none") }
    invocation.label = value
  }
  static let quiet = Flag(name: "quiet", short: "q", help: "only errors on standard error") { invocation, _ in
    invocation.isQuiet = true
  }
  static let verbose = Flag(
    name: "verbose", short: "v", help: "a line on standard error for each request; -vv: header fields too"
  ) { invocation, _ in
    invocation.verbosity += 1
  }
  static let log = Flag(
    name: "log", value: "text|json", help: "form of messages; json: an object a line, also for each request"
  ) { (invocation, value) throws(UsageError) in
    guard let form = Invocation.LogForm(rawValue: value) else {
      throw UsageError(message: "--log is text or json, not '\(value.printable)'")
    }
    invocation.log = form
  }
  static let progress = Flag(
    name: "progress", value: "auto|always|never", help: "show how far the run is; auto: on a terminal"
  ) { (invocation, value) throws(UsageError) in
    guard let mode = Invocation.ProgressMode(rawValue: value) else {
      throw UsageError(message: "--progress is auto, always or never, not '\(value.printable)'")
    }
    invocation.progress = mode
  }
  static let config = Flag(
    name: "config", value: "FILE", help: "JSON object whose members are parameters, and by name variables"
  ) { (invocation, value) throws(UsageError) in
    invocation.config = try name(value, "--config")
  }
  static let catalog = Flag(name: "catalog", value: "FILE", help: "Singer catalog: what is selected of the streams") {
    (invocation, value) throws(UsageError) in
    invocation.catalog = try name(value, "--catalog")
  }
  static let properties = Flag(name: "properties", value: "FILE", help: "the older name of --catalog") {
    (invocation, value) throws(UsageError) in
    invocation.catalog = try name(value, "--properties")
  }
  static let singerState = Flag(
    name: "state", value: "FILE", help: "value of the last STATE message, from which the run continues"
  ) {
    (invocation, value) throws(UsageError) in
    invocation.state = try name(value, "--state")
  }
  static let discover = Flag(name: "discover", help: "write the catalog of the streams, and no records") {
    invocation, _ in
    invocation.isDiscovery = true
  }
  static let model = Flag(name: "model", help: "write a 'model' too, of what the first records had") { invocation, _ in
    invocation.hasModel = true
  }
  static let form = Flag(
    name: "as", value: "json-schema|duckdb|postgres",
    help: "with a SPEC: its records' members for JSON Schema, DuckDB's read_json, or a table"
  ) { (invocation, value) throws(UsageError) in
    guard let form = RecordSchema.Form(rawValue: value) else {
      throw UsageError(message: "--as is json-schema, duckdb or postgres, not '\(value.printable)'")
    }
    invocation.schemaForm = form
  }
  static let lines = Flag(name: "lines", help: "each FILE is NDJSON: one envelope a line") { invocation, _ in
    invocation.isLines = true
  }

  static let header = Flag(
    name: "header", short: "H", value: "'Name: value'", help: "send a header field, as curl does; may be given again"
  ) { (invocation, value) throws(UsageError) in
    invocation.look.headers.append(value)
  }
  static let data = Flag(
    name: "data", short: "d", value: "TEXT", help: "send a body by POST: JSON, the items of a form, or other text"
  ) {
    (invocation, value) throws(UsageError) in
    invocation.look.body = value
  }
  static let request = Flag(name: "request", short: "X", value: "METHOD", help: "use another method") {
    (invocation, value) throws(UsageError) in
    invocation.look.method = value
  }
  static let user = Flag(name: "user", short: "u", value: "USER:PASSWORD", help: "send them as Basic credentials") {
    (invocation, value) throws(UsageError) in
    invocation.look.user = value
  }
  static let once = Flag(name: "once", help: "ask for the first page only; the pager is then not tried") {
    invocation, _ in
    invocation.isOnce = true
  }
  static let har = Flag(
    name: "har", value: "FILE.har", help: "look at a recording, and not at the network; URL: its first request's"
  ) { (invocation, value) throws(UsageError) in
    invocation.replay = try name(value, "--har")
  }
  static let draft = Flag(
    name: "output", short: "o", value: "FILE", help: "write the spec to FILE, which must not be there yet"
  ) { (invocation, value) throws(UsageError) in
    invocation.output = try name(value, "-o")
  }

  /// Returns the name of a file, and throws if it is empty, as an unset variable of the shell would make it.
  private static func name(_ text: String, _ flag: String, of kind: String = "FILE") throws(UsageError) -> String {
    guard !text.isEmpty else { throw UsageError(message: "\(flag) takes the name of a \(kind), and was given none") }
    return text
  }

  private static func number(_ text: String, _ flag: String, most: Int = .max) throws(UsageError) -> Int {
    guard let number = Int(text), (1...most).contains(number) else {
      let range = most == .max ? "from 1 on" : "from 1 to \(most)"
      throw UsageError(message: "\(flag) takes a whole number \(range), not '\(text.printable)'")
    }
    return number
  }
}
