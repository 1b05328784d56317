import Pagecat

/// What an app tells its user when a run fails.
func advice(for error: any Error) -> String {
  switch error {
  case is CancellationError: "stopped; go on whenever you like"
  case let error as SpecError: "a mistake of ours: \(error.messages.count) in the spec"
  case let error as IncompleteError: "\(error.verdict.rawValue): not all is there: \(error.reason)"
  case let error as NetworkingError: advice(for: error)
  default: "\(error)"
  }
}

private func advice(for error: NetworkingError) -> String {
  switch error {
  case .invalidResponseStatus where [401, 403].contains(error.status): "please log in again"
  case .invalidResponseStatus(_, let context):
    "the server answers \(context.status ?? 0)" + (context.retryAfter.map { ": again in \($0)" } ?? "")
  case .notReady: "the server is still at work"
  case .transportFailure: "no connection"
  case .invalidJSON, .invalidCSV, .missingContentIdentifier, .contentFailure, .invalidPage, .paginationLoop:
    "the server's answer is not what we know (page \(error.page ?? 1))"
  case .decodingError(let record, let path, _, _, _): "record \(record) has another '\(path)'"
  case .invalidURL, .invalidParameter, .invalidDecoderConfiguration: "a mistake of ours: \(error.code)"
  case .outputFailure(let context): "can't save: \(context.hint)"
  case .busy: "another window saves this already"
  }
}
