// All flags: name, value, effect, and line of help.

import SpecDrafting
import Engine
import Diagnostics
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
    name: "output", short: "o", value: "FILE",
    help: "write records to FILE, which is replaced in one step at the end; DIR/ gets a FILE for each stream"
  ) { (invocation, value) throws(UsageError) in
    guard !value.isEmpty else { throw UsageError(message: "-o takes the name of a FILE, or '-' for standard output") }
    // These paths are standard output: a file that the shell has opened must not be replaced.
    invocation.output = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(value) ? "-" : value
  }
  static let page = Flag(
    name: "output", short: "o", value: "FILE", help: "write the page to FILE; it is replaced in one step at the end",
    apply: output.apply)
  static let append = Flag(name: "append", help: "with -o: append the records to FILE") { invocation, _ in
    invocation.isAppended = true
  }
  static let merge = Flag(
    name: "merge", help: "with -o: let records take their places in FILE by 'unique'; 'deleted' removes them"
  ) { invocation, _ in
    invocation.isMerged = true
  }
  static let changes = naming(
    "changes", "FILE", help: "with -o: write what the run changed in that file, by 'unique'; '-': to standard output"
  ) { $0.changes = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains($1) ? "-" : $1 }
  static let manifest = Flag(
    name: "manifest", help: "with -o: write FILE.manifest.json or FOLDER/manifest.json, for 'verify'"
  ) { invocation, _ in
    invocation.hasManifest = true
  }
  static let resume = Flag(name: "resume", help: "with -o: continue the interrupted run") {
    invocation, _ in
    invocation.isResumed = true
  }
  static let onceDone = Flag(
    name: "once", help: "with --resume: a repetition of a finished run makes no requests"
  ) { invocation, _ in
    invocation.isOnce = true
  }
  static let every = Flag(
    name: "every", value: "60s", help: "repeat the run at this interval (from start to start; runs never overlap)"
  ) { (invocation, value) throws(UsageError) in
    guard let interval = Duration(spelled: value) else {
      throw UsageError(message: "--every takes a duration such as 60s, 500ms, 5m or 1h, not '\(value.printable)'")
    }
    invocation.interval = interval
  }
  static let state = naming(
    "state", "FILE", help: "keep in FILE the mark of 'incremental', which is '${since}' in the next run"
  ) { $0.state = $1 }
  static let plannedState = naming(
    "state", "FILE", help: "take '${since}' from FILE, in which 'run' keeps the marks"
  ) { $0.state = $1 }
  static let tokens = naming(
    "tokens", "FILE", help: "keep in FILE the refresh tokens with which servers replace 'refreshToken'"
  ) { $0.tokens = $1 }
  static let firstTokens = naming("tokens", "FILE", help: "keep in FILE the refresh token of each user who logs in") {
    $0.tokens = $1
  }
  static let secrets = naming("secrets", "DIR", help: "read '${file.NAME}' from the file NAME in DIR") {
    $0.secretsFolder = $1
  }
  static let rejects = naming(
    "rejects", "FILE", help: "write to FILE the input records that 'onError: skip' or 'empty' passed over"
  ) { $0.rejects = $1 }
  static let from = Flag(name: "from", value: "STEP", help: "start at STEP, with records from standard input") {
    $0.firstJob = $1
  }
  static let stream = Flag(
    name: "stream", value: "STREAM", help: "of a spec with 'streams': take this one; may be given more than once"
  ) { invocation, value in
    invocation.streams.append(value)
  }
  static let dir = naming("dir", "DIR", help: "save downloads below DIR (default: the current folder)") {
    $0.folder = $1
  }
  static let record = naming("record", "FILE.har", help: "write every request and its response to FILE.har (HAR 1.2)") {
    $0.recording = $1
  }
  static let replay = naming("replay", "FILE.har", help: "take all responses from FILE.har, without a network") {
    $0.replay = $1
  }
  static let maxRecords = counting("max-records", help: "stop after N records of the last step") { $0.recordLimit = $1 }
  static let maxPages = counting("max-pages", help: "fetch at most N pages of each list") { $0.pageLimit = $1 }
  static let concurrency = counting(
    "concurrency", most: 256, help: "make at most N requests of a step at once; the output stays the same"
  ) { $0.concurrency = $1 }
  static let rate = Flag(
    name: "rate", value: "5/s", help: "limit requests to an origin, as 'rate' does; the strictest applies"
  ) { (invocation, value) throws(UsageError) in
    guard let rate = Job.Rate(spelled: value) else {
      throw UsageError(message: "--rate takes a rate such as 5/s, 12.5/s, 100/m or 1000/h, not '\(value.printable)'")
    }
    invocation.rate = rate
  }
  static let pace = naming(
    "pace", "FILE", help: "share 'rate', limits and pauses with other runs that name FILE"
  ) { $0.pace = $1 }
  static let allow = Flag(
    name: "allow", value: "partial,short,replace",
    help: "exit 0 if the verdict is one of these; 'short': take what came; 'replace': let FILE have only what is new"
  ) { (invocation, value) throws(UsageError) in
    for word in value.split(separator: ",", omittingEmptySubsequences: false) {
      switch word {
      case "partial": invocation.allowed.insert(.partial)
      case "short": invocation.allowed.insert(.short)
      case "replace": invocation.mayReplaceAll = true
      default:
        throw UsageError(
          message: "--allow takes 'partial', 'short', 'replace', or several of them, not '\(value.printable)'")
      }
    }
  }
  static let summary = Flag(
    name: "summary", value: "auto|text|json|none",
    help: "last line on standard error; auto: on a terminal, or if not complete"
  ) { (invocation, value) throws(UsageError) in
    guard let form = Invocation.SummaryForm(rawValue: value) else {
      throw UsageError(message: "--summary takes auto, text, json or none, not '\(value.printable)'")
    }
    invocation.summary = form
  }
  static let label = Flag(
    name: "label", value: "TEXT", help: "name of the run in messages and summary, such as a partition's number"
  ) { (invocation, value) throws(UsageError) in
    guard !value.isEmpty else { throw UsageError(message: "--label takes a TEXT, and was given none") }
    invocation.label = value
  }
  static let quiet = Flag(name: "quiet", short: "q", help: "print only errors, and the summary if not complete") {
    invocation, _ in
    invocation.isQuiet = true
  }
  static let strict = Flag(name: "strict", help: "a doubt is an error, too") { invocation, _ in
    invocation.isStrict = true
  }
  static let verbose = Flag(
    name: "verbose", short: "v", help: "print a line for each request; -vv: header fields too"
  ) { invocation, _ in
    invocation.verbosity += 1
  }
  static let log = Flag(
    name: "log", value: "text|json", help: "format of messages; json: one object a line, for each request too"
  ) { (invocation, value) throws(UsageError) in
    guard let form = Invocation.LogForm(rawValue: value) else {
      throw UsageError(message: "--log takes text or json, not '\(value.printable)'")
    }
    invocation.log = form
  }
  static let progress = Flag(
    name: "progress", value: "auto|always|never", help: "show a line of progress; auto: on a terminal"
  ) { (invocation, value) throws(UsageError) in
    guard let mode = Invocation.ProgressMode(rawValue: value) else {
      throw UsageError(message: "--progress takes auto, always or never, not '\(value.printable)'")
    }
    invocation.progress = mode
  }
  static let config = naming(
    "config", "FILE", help: "JSON object: parameters, and values of environment variables, by name"
  ) { $0.config = $1 }
  static let catalog = naming("catalog", "FILE", help: "Singer catalog: which streams and members are selected") {
    $0.catalog = $1
  }
  static let properties = naming("properties", "FILE", help: "old name of --catalog") { $0.catalog = $1 }
  static let singerState = naming(
    "state", "FILE", help: "value of the last STATE message, to continue from it"
  ) { $0.state = $1 }
  static let deletions = Flag(
    name: "deletions", help: "give records for which 'deleted' holds an '_sdc_deleted_at', for targets that delete"
  ) { invocation, _ in
    invocation.marksDeletions = true
  }
  static let discover = Flag(name: "discover", help: "write the catalog of the streams, without records") {
    invocation, _ in
    invocation.isDiscovery = true
  }
  static let model = Flag(name: "model", help: "write a 'model' too, from the members of the first records") {
    invocation, _ in
    invocation.hasModel = true
  }
  static let form = Flag(
    name: "as", value: "json-schema|duckdb|postgres",
    help: "with a SPEC: the types of its records, as JSON Schema, for DuckDB, or as a table"
  ) { (invocation, value) throws(UsageError) in
    guard let form = RecordSchema.Form(rawValue: value) else {
      throw UsageError(message: "--as takes json-schema, duckdb or postgres, not '\(value.printable)'")
    }
    invocation.schemaForm = form
  }
  static let lines = Flag(name: "lines", help: "each FILE is NDJSON: one envelope a line") { invocation, _ in
    invocation.isLines = true
  }

  static let header = Flag(
    name: "header", short: "H", value: "'Name: value'", help: "send a header field; may be given more than once"
  ) { (invocation, value) throws(UsageError) in
    invocation.look.headers.append(value)
  }
  static let data = Flag(
    name: "data", short: "d", value: "TEXT", help: "send a body by POST: JSON, the items of a form, or other text"
  ) {
    (invocation, value) throws(UsageError) in
    // As in curl, several values are joined.
    invocation.look.body = invocation.look.body.map { "\($0)&\(value)" } ?? value
  }
  static let request = Flag(name: "request", short: "X", value: "METHOD", help: "use another method") {
    (invocation, value) throws(UsageError) in
    invocation.look.method = value
  }
  static let user = Flag(name: "user", short: "u", value: "USER:PASSWORD", help: "send Basic credentials") {
    (invocation, value) throws(UsageError) in
    invocation.look.user = value
  }
  static let save = naming("save", "FILE", help: "with a URL: write the spec to FILE, which must not be there yet") {
    $0.specFile = $1
  }
  static let first = Flag(name: "first", help: "request only page one, without a test of the pager") {
    invocation, _ in
    invocation.isOnce = true
  }
  static let har = naming(
    "har", "FILE.har", help: "look at a recording instead of the network (default URL: its first)"
  ) { $0.replay = $1 }
  static let draft = naming("output", short: "o", "FILE", help: "write the spec to FILE, which must not be there yet") {
    $0.output = $1
  }

  /// Returns a flag with the name of a file or folder; an empty name, as from an unset variable, is an error.
  private static func naming(
    _ name: String, short: Character? = nil, _ value: String, help: String,
    set: @escaping @Sendable (inout Invocation, String) -> Void
  ) -> Flag {
    Flag(name: name, short: short, value: value, help: help) { (invocation, text) throws(UsageError) in
      guard !text.isEmpty else {
        let spelling = short.map { "-\($0)" } ?? "--\(name)"
        let kind = value == "DIR" ? "folder" : "FILE"
        throw UsageError(message: "\(spelling) takes the name of a \(kind), and was given none")
      }
      set(&invocation, text)
    }
  }

  /// Returns a flag with a whole number from 1 on.
  private static func counting(
    _ name: String, most: Int = .max, help: String, set: @escaping @Sendable (inout Invocation, Int) -> Void
  ) -> Flag {
    Flag(name: name, value: "N", help: help) { (invocation, text) throws(UsageError) in
      guard let number = Int(text), (1...most).contains(number) else {
        let range = most == .max ? "from 1 on" : "from 1 to \(most)"
        throw UsageError(message: "--\(name) takes a whole number \(range), not '\(text.printable)'")
      }
      set(&invocation, number)
    }
  }
}
