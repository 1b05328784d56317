import Primitives
import Pagecat
import Synchronization
import Wire

/// Answers the requests of a library run by their URL, and remembers them.
final class ScriptedTransport: PipelineTransport {
  struct Broken: Error {}

  private let answers: [String: [PipelineResponse?]]
  private let seen = Locked<[PipelineRequest]>([])

  /// - Parameter answers: the responses to a URL in order, of which the last is given again and again; nil is an error.
  init(_ answers: [String: [PipelineResponse?]]) {
    self.answers = answers
  }

  var requests: [PipelineRequest] { seen.withLock { $0 } }

  func response(to request: PipelineRequest) async throws -> PipelineResponse {
    let before = seen.withLock { seen in
      defer { seen.append(request) }
      return seen.count { $0.url == request.url }
    }
    guard let answers = answers[request.url] else { return PipelineResponse(status: 404, json: "null") }
    guard let answer = answers[min(before, answers.count - 1)] else { throw Broken() }
    return answer
  }
}
