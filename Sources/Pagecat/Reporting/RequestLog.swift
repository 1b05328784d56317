import Fetching
import Wire

/// Counts the requests of a run in its report, and logs them redacted.
struct RequestLog: TransportObserver {
  let report: Report
  let secrets: SecretStore
  let log: (@Sendable (String) -> Void)?

  func willSend(_ request: Request) {
    report.count { $0.requests += 1 }
    log?("\(request.method) \(secrets.redacting(request.url.redacted))")
  }

  func wasNotSent(_ request: Request) {
    report.count { $0.requests -= 1 }
  }

  func waits(_ request: Request, for time: Duration) {
    log?("waiting \(time.spoken) for \(secrets.redacting(request.url.redacted))")
  }

  func retries(_ request: Request) {
    report.count { $0.retries += 1 }
  }
}
