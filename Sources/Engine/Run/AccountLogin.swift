// `pagecat login`: the requests before any run.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Diagnostics
import FetchPlan
import Fetching
import Files
package import PipelineSpec
import Wire

/// Logs users in, and keeps their first refresh tokens in `--tokens FILE`.
package struct AccountLogin {
  private let plan: RunPlan
  private let grants: [TokenGrant]
  private let replies: ReplySource
  private let locks: OutputLocks
  private let store: TokenFile
  private let path: String

  /// - Parameter destination: has the path of the file for tokens.
  /// - Throws: `SpecError` if no user can log in, `FileError` if another run holds the file.
  package init(_ spec: Spec, _ options: RunOptions, _ destination: Destination) throws {
    let specs = spec.streams.isEmpty ? [spec] : spec.streams.map { spec.alone($0) }
    let start = options.start ?? Int(Date().timeIntervalSince1970)
    let plans = try specs.map { try RunPlan([$0], options, start: start) }
    var grants: [TokenGrant] = []
    for grant in plans.flatMap(\.jobs).compactMap({ $0.credentials?.deviceGrant }) where !grants.contains(grant) {
      grants.append(grant)
    }
    guard let plan = plans.first, !grants.isEmpty else {
      throw SpecError(messages: ["no step of '\(spec.name.printable)' lets a user log in: give 'oauth2' a 'deviceUrl'"])
    }
    for secret in plans.flatMap(\.jobs).compactMap(\.credentials).flatMap(\.secrets) { plan.secrets.insert(secret) }
    (self.plan, self.grants) = (plan, grants)
    replies = try ReplySource(specs, options, .network)
    locks = try OutputLocks(destination)
    guard let path = locks.tokens else { throw SpecError(messages: ["a login needs --tokens FILE"]) }
    store = try TokenFile(path, destination.calls)
    self.path = path.path
  }

  /// Logs the users in, one after the other.
  ///
  /// - Parameters:
  ///   - listener: receives the requests.
  ///   - tell: receives what a user must do, and what is done.
  package func run(_ listener: RunListener, tell: (String) -> Void) async throws(NetworkingError) {
    defer {
      store.close()
      locks.release()
    }
    let clock = replies.clock(startingAt: replies.start)
    let report = Report(warn: { _ in }, tell: { _, _ in })
    let stack = TransportStack(
      over: replies.transport, rateLimiter: plan.rateLimiter(sharing: nil, in: nil), clock: clock, fetchesTokens: false,
      observer: RequestLog(report: report, secrets: plan.secrets, listener: listener, isReplay: false),
      hiding: plan.secrets)
    let login = DeviceLogin(stack.tokenTransport, clock: clock, secrets: plan.secrets, store: store)
    for grant in grants {
      do {
        try await login.run(grant) { prompt in
          tell("open \(prompt.url) and enter the code \(prompt.code) within \(prompt.life.formatted)")
          if let url = prompt.completeURL { tell("or open \(url)") }
        }
      } catch {
        throw NetworkingError(error, page: nil, hiding: plan.secrets)
      }
      tell("logged in: '\(path.printable)' has the refresh token from \(plan.secrets.redacting(grant.url.redacted))")
    }
  }
}

extension Credentials {
  /// The grant of a user who logs in on another device; nil for other credentials.
  var deviceGrant: TokenGrant? {
    guard case .grant(let grant, _) = proof, case .oauth2(let oauth2) = grant.kind else { return nil }
    return oauth2.deviceURL == nil ? nil : grant
  }
}

extension RunFiles {
  /// Checks that the users have logged in whose tokens a run needs.
  func checkLogins(of plan: RunPlan) throws(SpecError) {
    for job in plan.jobs {
      guard let grant = job.credentials?.deviceGrant, let holder = RefreshTokenHolder(grant) else { continue }
      guard tokens?.token(for: holder) == nil else { continue }
      let name = job.job.name.printable
      let problem = destination.tokens.map { "'\($0.printable)' has no token of that user" }
      throw SpecError(messages: [
        "'\(name)' needs a user who has logged in, and \(problem ?? "no --tokens FILE was given"): "
          + "run 'pagecat login SPEC --tokens FILE' first, and give --tokens FILE to the run"
      ])
    }
  }
}
