import Primitives
import Fetching
import Synchronization
import TestSupport
import Wire

/// Carries requests to the model server, and disturbs one of them.
final class ModelTransport: HTTPTransport {
  /// What happens to the request of that number, from 1.
  enum Disturbance: Sendable, Equatable {
    /// It is answered by 503, once.
    case stumble(at: Int)
    /// It and all that follow are answered by 500.
    case fail(from: Int)
    /// The process is killed while it waits for the answer.
    case kill(at: Int)
  }

  private let server: ModelServer
  private let disturbance: Disturbance?
  private let files: KillSwitch
  private let count = Locked(0)
  private let seen = Locked<[String]>([])
  /// URL and body of each request that the server answered.
  private let answered = Locked<Set<[[UInt8]]>>([])

  init(_ server: ModelServer, _ disturbance: Disturbance?, _ files: KillSwitch) {
    self.server = server
    self.disturbance = disturbance
    self.files = files
  }

  /// Method and URL of each request.
  var requests: [String] { seen.withLock { $0 } }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if case .kill(let last)? = disturbance, number > last {
      // Nobody is there any more to ask for it.
      throw TransportError(.unsent, url: request.url, problem: "the process was killed")
    }
    seen.withLock { $0.append("\(request.method) \(request.url.text)") }
    let answer: ModelServer.Answer
    switch disturbance {
    case .stumble(number): answer = ModelServer.Answer(status: 503, body: "busy")
    case .fail(let first) where number >= first: answer = ModelServer.Answer(status: 500, body: "down")
    case .kill(number):
      files.kill()
      throw TransportError(.other, url: request.url, problem: "the process was killed")
    default: answer = self.answer(request)
    }
    let fields = answer.fields.map { HTTPFields.Field(name: $0.name, value: Redactable($0.value)) }
    let head = ReplyHead(status: answer.status, fields: HTTPFields(fields), url: request.url)
    return Reply(head: head, body: ModelBody(answer.body))
  }

  private func answer(_ request: Request) -> ModelServer.Answer {
    let body = request.body?.bytes
    let isNew = answered.withLock { $0.insert([Array(request.url.text.utf8), body ?? []]).inserted }
    return server.answer(request.url.text, body: body, isRepeated: !isNew)
  }
}
