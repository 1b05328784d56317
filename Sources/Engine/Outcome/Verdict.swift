/// The outcome of a run.
public enum Verdict: String, Sendable, Hashable {
  /// Every record came.
  case complete
  /// A limit that the user gave ended the run, and nothing else.
  case capped
  /// The run ended normally, but there is evidence that the records are not the whole set, or not the right one.
  case short
  /// Input records were left out or answered empty.
  case partial
  /// The run ended early.
  case failed

  /// Order of ends: an exit code other than 0 is worse than any verdict with 0.
  static func rank(_ verdict: Verdict, _ code: ExitCode) -> Int {
    let verdicts: [Verdict] = [.complete, .capped, .partial, .short, .failed]
    return (code == .complete ? 0 : verdicts.count) + (verdicts.firstIndex(of: verdict) ?? 0)
  }
}

// The mapping of outcomes to the exit codes of the process.

/// The exit codes of the command (contract §10).
package enum ExitCode: Int32, Sendable {
  /// Complete, or capped by a limit that the user gave.
  case complete = 0
  /// Ended, but incomplete: input records left out or answered empty, or evidence that the records are not the whole set.
  case incomplete = 1
  /// The command line or a spec is wrong; nothing was requested.
  case usage = 2
  /// A request failed for good.
  case fetch = 3
  /// Content is wrong: not JSON, no such key, not the model, malformed NDJSON, an input record without a member.
  case content = 4
  /// Output could not be written.
  case output = 5
  /// Another run holds the same output or state (`EX_TEMPFAIL` of sysexits.h: a later attempt may succeed).
  case busy = 75
  /// The terminal was closed (SIGHUP), Ctrl-C (SIGINT), or asked to end (SIGTERM): 128 and the signal's number, as a shell
  /// says it.
  case hungUp = 129
  case interrupted = 130
  case terminated = 143
  /// The reader of standard output left; no message is printed.
  case readerGone = 141
}

extension NetworkingError {
  /// Exit code of a run that ends with this error.
  package var exitCode: ExitCode {
    switch self {
    case .invalidResponseStatus, .notReady, .transportFailure, .contentFailure, .paginationLoop, .invalidPage: .fetch
    case .invalidURL, .invalidParameter, .invalidJSON, .invalidCSV, .missingContentIdentifier,
      .invalidDecoderConfiguration, .decodingError:
      .content
    case .outputFailure: .output
    case .busy: .busy
    }
  }
}

// The reasons why a run must end early.

/// An event that ends a run in an orderly way.
package enum Interruption: Sendable {
  /// SIGHUP: the terminal was closed.
  case hangUp
  /// SIGINT: Ctrl-C.
  case interrupt
  /// SIGTERM.
  case terminate
  /// The reader of standard output has left.
  case readerGone

  package var exitCode: ExitCode {
    switch self {
    case .hangUp: .hungUp
    case .interrupt: .interrupted
    case .terminate: .terminated
    case .readerGone: .readerGone
    }
  }

  var sentence: String {
    switch self {
    case .hangUp: "hung up"
    case .interrupt: "interrupted"
    case .terminate: "terminated"
    case .readerGone: "nobody reads the records any more"
    }
  }
}

extension String {
  /// The reason of a run among others, which may begin with the run's name already.
  func attributed(to run: String) -> String { isEmpty || hasPrefix("\(run): ") ? self : "\(run): \(self)" }
}
