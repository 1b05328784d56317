// Message and exit code for each error that ends a command.

import Pagecat

/// The error that ended a command.
struct CommandFailure {
  private let messages: [String]
  private let code: ExitCode

  init(_ error: any Error) {
    switch error {
    case let error as SpecError: (messages, code) = (error.shown, .usage)
    case let error as InputError: (messages, code) = ([error.problem], .usage)
    case let error as NetworkingError: (messages, code) = ([error.description], error.exitCode)
    case OutputError.readerGone: (messages, code) = ([], .readerGone)
    case OutputError.busy(let problem): (messages, code) = ([problem], .busy)
    case OutputError.failed(let problem): (messages, code) = ([problem], .output)
    default: (messages, code) = (["\(error)"], .fetch)
    }
  }

  func told(by console: Console) -> ExitCode {
    for message in messages { console.report(message) }
    return code
  }
}
