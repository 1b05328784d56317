// The values of a parsed command line.

import Pagecat
import PipelineSpec

/// The operands of a command, and the values of its flags.
struct Invocation: Sendable {
  var operands: [String] = []

  var recordLimit: Int?
  var pageLimit: Int?
  var concurrency: Int?
  var rate: Job.Rate?
  /// Verdicts that are no failure.
  var allowed: Set<Verdict> = []
  var output: String?
  var isAppended = false
  var isResumed = false
  var state: String?
  var tokens: String?
  /// Time from the start of a run to the start of the next one.
  var interval: Duration?
  var rejects: String?
  var firstJob: String?
  var folder: String?
  var recording: String?
  var replay: String?
  var summary: SummaryForm = .auto
  var isQuiet = false
  /// How often `-v` is given.
  var verbosity = 0
  var log = LogForm.text
  var progress = ProgressMode.auto
  var isLines = false
  /// The request of `new`.
  var look = Look()
  var isOnce = false

  /// The form of messages.
  enum LogForm: String, CaseIterable, Sendable { case text, json }

  /// The condition for the progress line.
  enum ProgressMode: String, CaseIterable, Sendable { case auto, always, never }

  /// The form of the summary line, and the condition for writing it.
  enum SummaryForm: String, CaseIterable, Sendable { case auto, text, json, none }
}
