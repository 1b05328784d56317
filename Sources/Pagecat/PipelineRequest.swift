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
