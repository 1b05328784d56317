#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Fetching
import PipelineSpec
import Wire

/// Where a run's replies come from, with the options, the start and the clock that belong to it.
struct ReplySource {
  /// Nil for the network.
  private let replacement: (any HTTPTransport)?
  private let network: CurlTransport
  let options: RunOptions
  /// Start of the run in Unix seconds: given, the recording's, or now.
  let start: Int
  let isReplay: Bool

  /// - Throws: `SpecError` if the recording can't be read.
  init(_ specs: [Spec], _ options: RunOptions, _ source: Source) throws(SpecError) {
    var options = options
    network = CurlTransport(environment: options.environment, on: options.thread)
    let now = Int(Date().timeIntervalSince1970)
    guard case .replay(let path) = source else {
      (replacement, isReplay) = (options.transport, false)
      (self.options, start) = (options, options.start ?? now)
      return
    }
    options.isReplay = true
    // A recording may lack what was fetched ahead and not used, or hold more of it: a replay fetches nothing ahead.
    options.concurrency = 1
    for name in RunPlan.environmentNames(specs) { options.environment[name] = "***" }
    let replay = try Self.replay(path)
    (replacement, isReplay) = (replay, true)
    (self.options, start) = (options, options.start ?? replay.start ?? now)
  }

  private static func replay(_ path: String) throws(SpecError) -> ReplayTransport {
    do {
      return try ReplayTransport(har: try Input(path: path).readAll(), name: path)
    } catch let error as InputError {
      throw SpecError(messages: [error.problem])
    } catch let error as ReplayError {
      throw SpecError(messages: [error.problem])
    } catch {
      throw SpecError(messages: ["\(error)"])
    }
  }

  var transport: any HTTPTransport { replacement ?? network }

  /// The thread of the transfers; nil if replies come from elsewhere than the network.
  var networkExecutor: (any TaskExecutor)? { replacement == nil ? network.executor : nil }

  /// The clock that waits are measured by. It stops waiting when the reader of the output has gone.
  ///
  /// - Parameter start: of the run; an interrupted run has its own.
  func clock(startingAt start: Int) -> any FetchClock {
    let clock = options.clock ?? (isReplay ? VirtualClock(start: Double(start)) : SystemClock())
    guard let isReaderGone = options.isReaderGone else { return clock }
    return InterruptibleClock(clock, shouldStop: isReaderGone)
  }
}
