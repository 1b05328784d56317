// Message and exit code for each error that ends a command.

import Pagecat

/// The error that ended a command.
struct CommandFailure {
  private let message: String?
  private let code: ExitCode

  init(_ error: any Error) {
    switch error {
    case let error as SpecError: (message, code) = (error.description, .usage)
    case let error as InputError: (message, code) = (error.problem, .usage)
    case let error as NetworkingError: (message, code) = (error.description, error.exitCode)
    case OutputError.readerGone: (message, code) = (nil, .readerGone)
    case OutputError.busy(let problem): (message, code) = (problem, .busy)
    case OutputError.failed(let problem): (message, code) = (problem, .output)
    default: (message, code) = ("\(error)", .fetch)
    }
  }

  func told(by console: Console) -> ExitCode {
    if let message { console.report(message) }
    return code
  }
}
