// Message and exit code for each error that ends a command.

import Engine
import Files

/// The error that ended a command.
struct CommandFailure {
  private let messages: [String]
  let code: ExitCode
  /// True if the command line is wrong.
  private var isUsage = false
  /// Name of the command; nil if there is none, or if it is not known.
  private let command: String?

  /// The first message, in one line.
  var reason: String { messages.first.map { String($0.prefix { $0 != "\n" }) } ?? "" }

  init(_ error: any Error, of command: String? = nil) {
    self.command = command
    switch error {
    case let error as UsageError: (messages, code, isUsage) = ([error.message], .usage, true)
    case let error as SpecError: (messages, code) = (error.shown, .usage)
    case let error as InputError: (messages, code) = ([error.problem], .usage)
    case let error as NetworkingError: (messages, code) = ([error.description], error.exitCode)
    case FileError.readerGone: (messages, code) = ([], .readerGone)
    case let error as FileError: (messages, code) = ([error.problem], error.isBusy ? .busy : .output)
    default: (messages, code) = (["\(error)"], .fetch)
    }
  }

  func told(by console: Console) -> ExitCode {
    tell(console)
    return code
  }

  func tell(_ console: Console) {
    for message in messages { console.report(message) }
    if isUsage { console.say("Try 'pagecat \(command.map { "\($0) " } ?? "")--help'.") }
  }
}
