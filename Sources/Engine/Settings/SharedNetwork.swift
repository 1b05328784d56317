import Fetching
import Primitives
import Synchronization
import Wire

/// What several runs share of the network: connections, tokens and rates.
///
/// So each account logs in once, and a `rate` holds across the runs, also if they run at the same time.
package final class SharedNetwork: Sendable {
  private struct State: Sendable {
    /// Transports by the values of the variables that they read.
    var transports: [[String?]: CurlTransport] = [:]
    var rateLimiter: RateLimiter?
    /// The rates of all runs, also of those to come.
    var rates: [(origin: Origin, rate: Rate)] = []
  }

  let tokens = TokenMemory()
  private let state = Locked(State())

  package init() {}

  /// Returns the transport for an environment, and makes it for the first run with that environment.
  func transport(for environment: Environment, _ make: () -> CurlTransport) -> CurlTransport {
    let key = CurlTransport.variables.map { environment[$0] }
    return state.withLock { state in
      if let transport = state.transports[key] { return transport }
      let transport = make()
      state.transports[key] = transport
      return transport
    }
  }

  /// Adds a rate, which holds from the first run on.
  func limit(_ origin: Origin, to rate: Rate) { state.withLock { $0.rates.append((origin, rate)) } }

  /// Returns the limiter, and makes it for the first run.
  func rateLimiter(_ make: () -> RateLimiter) -> RateLimiter {
    state.withLock { state in
      if let limiter = state.rateLimiter { return limiter }
      let limiter = make()
      for (origin, rate) in state.rates { limiter.limit(origin, to: rate) }
      state.rateLimiter = limiter
      return limiter
    }
  }
}
