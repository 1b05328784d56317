import Engine

/// The options of one run; the names of the command's flags are given in parentheses.
///
/// Paths are relative to the process's working directory.
public struct PipelineOptions: Sendable {
  /// Highest number of final records (`--max-records`).
  public var recordLimit: Int?
  /// Highest number of pages of a stream (`--max-pages`).
  public var pageLimit: Int?
  /// Highest number of requests of a job in flight, 1 to 256 (`--concurrency`).
  public var concurrency: Int?
  /// File for the highest marks of `incremental` (`--state`).
  public var stateFile: String?
  /// File for the newest refresh tokens (`--tokens`).
  public var tokensFile: String?
  /// File by which runs on one machine share rates and pauses (`--pace`).
  public var paceFile: String?
  /// File for the input records that were left out or answered empty (`--rejects`).
  public var rejectsFile: String?
  /// File for what `export` changes in its file (`--changes`).
  public var changesFile: String?
  /// True if `export` writes a manifest beside its file (`--manifest`).
  public var writesManifest = false
  /// Folder below which `download` saves files (`--dir`).
  public var folder = "."
  /// Folder with a file for each secret (`--secrets`).
  public var secretsFolder: String?
  /// HAR file to answer from, without a network (`--replay`).
  public var replay: String?
  /// HAR file to write, without secrets (`--record`).
  public var recording: String?
  /// The transport in place of the network, for tests.
  public var transport: (any PipelineTransport)?
  /// True if waits for a rate, another attempt or `poll` take no time, as in a replay; for tests with a `transport`.
  public var skipsWaits = false

  /// Creates options that change nothing.
  public init() {}

  /// - Throws: `SpecError` for a number that is out of its range.
  func check() throws(SpecError) {
    var messages: [String] = []
    for (name, value, range) in [
      ("recordLimit", recordLimit, 1...Int.max), ("pageLimit", pageLimit, 1...Int.max),
      ("concurrency", concurrency, 1...256),
    ] {
      guard let value, !range.contains(value) else { continue }
      messages.append("'\(name)' is \(value): give \(range.upperBound == .max ? "1 or more" : "1 to 256")")
    }
    if replay != nil, transport != nil { messages.append("'replay' and 'transport' both answer: give one of them") }
    if paceFile != nil, replay != nil || skipsWaits {
      messages.append(
        "'paceFile' spaces requests, and '\(replay != nil ? "replay" : "skipsWaits")' takes no time: give one")
    }
    if !messages.isEmpty { throw SpecError(messages: messages) }
  }

  var destination: Destination {
    var destination = Destination()
    destination.state = stateFile
    destination.tokens = tokensFile
    destination.pace = paceFile
    destination.rejects = rejectsFile
    destination.folder = folder
    return destination
  }

  var source: Source { replay.map { .replay(path: $0) } ?? .network }

  /// Returns the engine's options, after those of the pipeline.
  func added(to options: RunOptions) -> RunOptions {
    var options = options
    options.recordLimit = recordLimit
    options.pageLimit = pageLimit
    options.concurrency = concurrency
    options.secretsFolder = secretsFolder
    options.transport = transport.map { AdaptedTransport(transport: $0) }
    options.skipsWaits = skipsWaits
    return options
  }
}
