#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Diagnostics
import FetchPlan
import Files
import Primitives
import Fetching
import PipelineSpec
import Wire

/// The source of a run's replies, with its options, start and clock.
struct ReplySource {
  /// Transport in place of the network; nil for the network.
  private let replacement: (any HTTPTransport)?
  private let network: CurlTransport
  let options: RunOptions
  /// Start of the run in Unix seconds: given, the recording's, or now.
  let start: Int
  let isReplay: Bool

  /// Opens the recording of a replay.
  ///
  /// - Throws: `SpecError` if the recording can't be read.
  init(_ specs: [Spec], _ options: RunOptions, _ source: Source) throws(SpecError) {
    let make = { CurlTransport(environment: options.environment, on: options.thread) }
    network = options.network?.transport(for: options.environment, make) ?? make()
    let now = Int(Date().timeIntervalSince1970)
    var options = options
    guard case .replay(let path) = source else {
      (replacement, isReplay) = (options.transport, false)
      (self.options, start) = (options, options.start ?? now)
      return
    }
    options.replay(specs)
    // A recording may have more or fewer unused look-ahead pages, so a replay fetches nothing ahead.
    options.concurrency = 1
    let read = { () throws(SpecError) in try Self.replay(path) }
    // With a limit of records, a run requests what it reads of other runs once more.
    let series = options.recordLimit == nil ? options.series : nil
    let replay = if let series { try series.replay(read) } else { try read() }
    (replacement, isReplay) = (replay, true)
    (self.options, start) = (options, options.start ?? replay.start ?? now)
  }

  private static func replay(_ path: String) throws(SpecError) -> ReplayTransport {
    do {
      return try ReplayTransport(har: try Input(path: path).readAll(limit: Input.mostRecorded), name: path)
    } catch let error as InputError {
      throw SpecError(messages: ["--replay: \(error.problem)"])
    } catch let error as ReplayError {
      throw SpecError(messages: [error.problem])
    } catch {
      throw SpecError(messages: ["\(error)"])
    }
  }

  var transport: any HTTPTransport { replacement ?? network }

  /// The rates and tokens that the run shares with others; nil if it shares none, or if its own clock skips waits.
  var sharedNetwork: SharedNetwork? { isReplay || options.skipsWaits ? nil : options.network }

  /// Thread of the transfers; nil if the replies do not come from the network.
  var networkExecutor: (any TaskExecutor)? { replacement == nil ? network.executor : nil }

  /// Returns the clock for waits; it stops waiting if the reader of the output has left.
  ///
  /// - Parameter start: start of the run; a resumed run keeps the start of the interrupted one.
  func clock(startingAt start: Int) -> any FetchClock {
    let skipsWaits = isReplay || options.skipsWaits
    let clock = options.clock ?? (skipsWaits ? VirtualClock(start: Double(start)) : SystemClock())
    guard let isReaderGone = options.isReaderGone else { return clock }
    return InterruptibleClock(clock, shouldStop: isReaderGone)
  }
}
