import Files
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Synchronization
import Unwrapping
import Wire

/// Counts the requests that are made, each hop of a redirect too, but not what was given up before it was sent; and hears
/// of secrets that come back before anybody could show them.
struct CountingTransport: HTTPTransport {
  let next: any HTTPTransport
  let report: Report
  let secrets: SecretStore
  let log: (@Sendable (String) -> Void)?

  func send(_ request: Request) async throws(TransportError) -> Reply {
    if Task.isCancelled { throw TransportError(.unsent, url: request.url, problem: "the request was cancelled") }
    report.count { $0.requests += 1 }
    log?("\(request.method) \(secrets.redacting(request.url.redacted))")
    do {
      let reply = try await next.send(request)
      secrets.insertCookies(of: reply.head.fields)
      return reply
    } catch {
      if error.kind == .unsent { report.count { $0.requests -= 1 } }
      throw error
    }
  }
}
