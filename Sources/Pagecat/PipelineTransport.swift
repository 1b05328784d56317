import Diagnostics
import Fetching
import Primitives
import Synchronization
import Wire

/// Answers the requests of a run in place of the network, for tests.
///
/// Redirects, retries, rates, credentials and limits work as they do with the network.
public protocol PipelineTransport: Sendable {
  /// Returns the response to one request; may be called for several requests at a time.
  ///
  /// - Throws: any error; it counts as a failed connection, which the run retries as its spec says.
  func response(to request: PipelineRequest) async throws -> PipelineResponse
}

/// Carries the engine's requests to a transport of the user.
struct AdaptedTransport: HTTPTransport {
  let transport: any PipelineTransport

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let response: PipelineResponse
    do {
      response = try await transport.response(to: PipelineRequest(request))
    } catch {
      let isCancelled = error is CancellationError
      throw TransportError(isCancelled ? .cancelled : .connect, url: request.url, problem: "\(error)".printableLines)
    }
    guard response.body.count <= request.bodyLimit else {
      throw TransportError(
        .tooLarge, url: request.url, problem: request.tooLong)
    }
    let fields = response.headers.map { HTTPFields.Field(name: $0.name, value: Redactable($0.value)) }
    let head = ReplyHead(status: response.status, fields: HTTPFields(fields), url: request.url)
    return Reply(head: head, body: WholeBody(response.body))
  }
}

/// A body that is available as a whole.
private final class WholeBody: ReplyBody {
  private let rest: Locked<[UInt8]>

  init(_ bytes: [UInt8]) { rest = Locked(bytes) }

  func next() -> [UInt8]? {
    let bytes = rest.withLock { rest in
      defer { rest = [] }
      return rest
    }
    return bytes.isEmpty ? nil : bytes
  }

  func cancel() { rest.withLock { $0 = [] } }
}

extension PipelineRequest {
  fileprivate init(_ request: Request) {
    self.init(
      method: request.method, url: request.url.text,
      headers: request.fields.all.map { (name: $0.name, value: $0.value.text) }, body: request.body?.bytes,
      shown: "\(request.method) \(request.url.redacted)")
  }
}

/// A request as a `PipelineTransport` gets it, with its secrets.
public struct PipelineRequest: Sendable, CustomStringConvertible {
  /// Method in upper case.
  public let method: String
  /// Absolute URL.
  public let url: String
  /// Header fields in order.
  public let headers: [(name: String, value: String)]
  /// Body, if the request has one.
  public let body: [UInt8]?
  private let shown: String

  /// Method and URL, without secrets.
  public var description: String { shown }

  init(
    method: String, url: String, headers: [(name: String, value: String)], body: [UInt8]?, shown: String
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.shown = shown
  }

  /// Returns the first value of a header field; names match without regard to case (RFC 9110 §5.1).
  public func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

// A mirror would show the secrets.
extension PipelineRequest: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The response of a `PipelineTransport`.
public struct PipelineResponse: Sendable {
  /// Status code (RFC 9110 §15).
  public var status: Int
  /// Header fields in order; a name may stand several times.
  public var headers: [(name: String, value: String)]
  /// Whole body, without a content coding.
  public var body: [UInt8]

  /// Creates a response from bytes.
  public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response with a JSON text as its body.
  public init(status: Int = 200, headers: [(name: String, value: String)] = [], json: String) {
    self.init(status: status, headers: [("Content-Type", "application/json")] + headers, body: Array(json.utf8))
  }
}
