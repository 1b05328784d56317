import Diagnostics
import Engine
import PipelineSpec

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
  /// Highest rate of requests to an origin, such as `5/s` or `1000/h`; the strictest applies (`--rate`).
  public var rate: String?
  /// Name of the first step to run, which then reads the input records (`--from`).
  public var firstStep: String?
  /// Verdicts, `.partial` or `.short`, that are no errors: the run throws nothing, and writes its file (`--allow`).
  public var allowed: Set<Verdict> = []
  /// True if an export may replace a file with all records by one with only the new ones (`--allow replace`).
  public var mayReplaceAll = false
  /// Name of the run for its summary (`--label`).
  public var label: String?
  /// Connections, tokens and rates that the run shares with others; nil for a run of its own.
  public var client: PipelineClient?
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
    if let rate, Job.Rate(spelled: rate) == nil {
      messages.append("'rate' is '\(rate.printable)': give a rate such as 5/s, 12.5/s, 100/m or 1000/h")
    }
    for verdict in allowed.subtracting([.partial, .short]).map(\.rawValue).sorted() {
      messages.append("'allowed' has '\(verdict)': give 'partial', 'short', or both")
    }
    if client != nil, paceFile != nil {
      messages.append("'paceFile' is given with a 'client', whose runs share one: give it to PipelineClient(paceFile:)")
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
    destination.pace = client?.paceFile ?? paceFile
    destination.rejects = rejectsFile
    destination.allowed = allowed
    destination.mayReplaceAll = mayReplaceAll
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
    options.rate = rate.flatMap { Job.Rate(spelled: $0) }
    options.firstJob = firstStep
    options.network = client?.network
    options.secretsFolder = secretsFolder
    options.transport = transport.map { AdaptedTransport(transport: $0) }
    options.skipsWaits = skipsWaits
    return options
  }
}

/// Connections, tokens and rates that the runs of a server or an app share.
///
///     let client = PipelineClient()
///     …
///     var options = PipelineOptions()
///     options.client = client
///     for try await coin in coins.run(options).records(as: Coin.self) { … }
///
/// Runs at the same time, or one after the other, reuse the connections of one another, log in once for each account,
/// and wait for one another's `rate`: of several rates of an origin the lowest counts, from then on. What one run learns
/// from an origin's refusals and pauses holds for all of them. Secrets and recordings stay those of their run.
public final class PipelineClient: Sendable {
  let network = SharedNetwork()
  let paceFile: String?

  /// Creates a client, which opens its first connection for the first request.
  ///
  /// - Parameter paceFile: file by which the client shares rates and pauses with other processes (`--pace`).
  public init(paceFile: String? = nil) {
    self.paceFile = paceFile
  }
}
