// Whatever ends a command, as a message and an exit code.

import Pagecat

/// What a command ended with instead of a result.
struct Outcome {
  private let message: String?
  private let code: ExitCode

  init(_ error: any Error) {
    switch error {
    case let error as SpecError: (message, code) = (error.description, .usage)
    case let error as InputFault: (message, code) = (error.problem, .usage)
    case let error as NetworkingError: (message, code) = (error.description, error.exitCode)
    case OutputFault.readerGone: (message, code) = (nil, .readerGone)
    case OutputFault.busy(let problem): (message, code) = (problem, .busy)
    case OutputFault.failed(let problem): (message, code) = (problem, .output)
    default: (message, code) = ("\(error)", .fetch)
    }
  }

  func told(by console: Console) -> ExitCode {
    if let message { console.report(message) }
    return code
  }
}
