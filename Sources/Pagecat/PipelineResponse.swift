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
