// The values of a parsed command line.

import Engine
import SpecDrafting
import PipelineSpec
import Primitives

/// The operands of a command, and the values of its flags.
struct Invocation: Sendable {
  var operands: [String] = []

  var recordLimit: Int?
  var pageLimit: Int?
  var concurrency: Int?
  var rate: Job.Rate?
  var pace: String?
  /// Verdicts that are no failure.
  var allowed: Set<Verdict> = []
  var mayReplaceAll = false
  var output: String?
  var isAppended = false
  var isMerged = false
  var hasManifest = false
  /// `--changes`: a path, or `-` for standard output.
  var changes: String?
  var isResumed = false
  var state: String?
  var tokens: String?
  /// Time from the start of a run to the start of the next one.
  var interval: Duration?
  var rejects: String?
  var firstJob: String?
  /// Names of the streams to take; none for all.
  var streams: [String] = []
  var folder: String?
  var secretsFolder: String?
  var recording: String?
  var replay: String?
  var summary: SummaryForm = .auto
  var label: String?
  var isQuiet = false
  var isStrict = false
  /// Number of times that `-v` is given.
  var verbosity = 0
  var log = LogForm.text
  var progress = ProgressMode.auto
  var isLines = false
  /// `--model` of `new`.
  var hasModel = false
  var config: String?
  var catalog: String?
  var isDiscovery = false
  /// `--deletions` of `tap`.
  var marksDeletions = false
  var schemaForm: RecordSchema.Form?
  /// The request of `new`, or of a run for a URL.
  var look = Look()
  /// File for the spec of a run for a URL.
  var specFile: String?
  /// `--first` of `new`, `--once` of `run`.
  var isOnce = false

  /// The form of messages.
  enum LogForm: String, CaseIterable, Sendable { case text, json }

  /// The condition for the progress line.
  enum ProgressMode: String, CaseIterable, Sendable { case auto, always, never }

  /// The form of the summary line, and the condition for writing it.
  enum SummaryForm: String, CaseIterable, Sendable { case auto, text, json, none }
}

extension Invocation {
  /// Throws if `--pace` is given with `--replay`.
  func checkPace() throws(UsageError) {
    guard pace != nil, replay != nil else { return }
    throw UsageError(message: "--pace spaces requests, and --replay makes none: leave one of them out")
  }

  /// Returns the options of a run that `run` and `tap` share.
  func runOptions(_ parameters: [(name: String, value: String)], _ environment: Environment) -> RunOptions {
    var options = RunOptions()
    options.parameters = parameters
    options.environment = environment
    options.secretsFolder = secretsFolder
    options.recordLimit = recordLimit
    options.pageLimit = pageLimit
    options.concurrency = concurrency
    options.rate = rate
    return options
  }

  /// The operands: specs, and parameters `NAME=VALUE`.
  var pathsAndParameters: (paths: [String], parameters: [(name: String, value: String)]) {
    get throws(UsageError) {
      let parameters = operands.compactMap(Self.parameter)
      let paths = operands.filter { Self.parameter($0) == nil }
      guard !paths.isEmpty else { throw UsageError(message: "no SPEC was given") }
      return (paths, parameters)
    }
  }

  /// Returns the parts of `NAME=VALUE`, or nil for another operand.
  ///
  /// A file with such a name needs its folder: `./a=b.yaml`.
  private static func parameter(_ operand: String) -> (name: String, value: String)? {
    guard let (name, value) = operand.splitAtEquals, !name.isEmpty, name.utf8.allSatisfy(\.isWord) else { return nil }
    return (name, value)
  }
}
