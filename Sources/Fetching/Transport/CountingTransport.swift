import Wire

/// Counts the requests that are really sent: each hop of a redirect and each retry, but no request cancelled before.
///
/// It also adds the cookies of each reply to the secrets, before any message could show them.
struct CountingTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let observer: any TransportObserver
  private let secrets: SecretStore

  init(_ next: any HTTPTransport, observer: any TransportObserver, secrets: SecretStore) {
    self.next = next
    self.observer = observer
    self.secrets = secrets
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    if Task.isCancelled { throw TransportError(.unsent, url: request.url, problem: "the request was cancelled") }
    let exchange = OpenExchange(request, observer: observer)
    do {
      let reply = try await next.send(request)
      secrets.insertCookies(of: reply.head.fields)
      exchange.note { $0.status = reply.head.status }
      observer.didReceive(reply.head, to: request)
      return Reply(head: reply.head, body: reply.body, exchange: exchange)
    } catch {
      if error.kind == .unsent { exchange.wasNotSent() } else { exchange.note { $0.problem = error.problem } }
      throw error
    }
  }
}
