// What a command line means, after it has been read.

/// What was asked for: the command's operands, and what its flags say.
struct Invocation: Sendable {
  var operands: [String] = []

  var recordLimit: Int?
  var pageLimit: Int?
  var concurrency: Int?
  var output: String?
  var isAppended = false
  var isResumed = false
  var state: String?
  /// From one run's start to the next one's.
  var interval: Duration?
  var rejects: String?
  var firstJob: String?
  var folder: String?
  var recording: String?
  var replay: String?
  var summary: SummaryForm = .auto
  var isQuiet = false
  var isVerbose = false
  var isLines = false

  /// When the summary line is written, and how.
  enum SummaryForm: String, CaseIterable, Sendable { case auto, text, json, none }
}
