/// The facts that all errors of the library have.
public protocol PipelineError: Error {
  /// Name of the error: `transportFailure`, `invalidSpec`.
  var code: String { get }
  /// URL of the failed request, without secrets.
  var url: String? { get }
  /// Status code of the response, if that is the problem.
  var status: Int? { get }
  /// Number of the page in its stream, from 1.
  var page: Int? { get }
}

extension PipelineError {
  /// Nil: the error is not about a request.
  public var url: String? { nil }
  /// Nil: the error is not about a response.
  public var status: Int? { nil }
  /// Nil: the error is not about a page.
  public var page: Int? { nil }
}

extension SpecError: PipelineError {
  /// `invalidSpec`.
  public var code: String { "invalidSpec" }
}

extension IncompleteError: PipelineError {
  /// `incomplete`.
  public var code: String { "incomplete" }
}

extension NetworkingError: PipelineError {
  /// Name of the case.
  public var code: String { String(description.prefix { $0 != ":" }) }

  /// URL of the failed request, if there was one.
  public var url: String? {
    switch self {
    case .invalidURL(let url, _), .invalidResponseStatus(_, let url, _, _, _), .notReady(_, let url, _, _, _),
      .transportFailure(let url, _, _), .contentFailure(let url, _, _), .paginationLoop(let url, _, _),
      .invalidPage(let url, _, _):
      url
    case .invalidJSON(let source, let page, _, _, _, _), .decodingError(let source, let page, _, _, _, _):
      page == nil ? nil : source
    case .invalidCSV(let source, let page, _, _, _):
      page == nil ? nil : source
    case .missingContentIdentifier(_, let source, let page, _):
      page == nil ? nil : source
    case .invalidParameter, .outputFailure, .invalidDecoderConfiguration:
      nil
    }
  }

  /// Status code of a response that is not the content.
  public var status: Int? {
    switch self {
    case .invalidResponseStatus(let status, _, _, _, _), .notReady(let status, _, _, _, _): status
    default: nil
    }
  }

  /// Number of the page in its stream, from 1; nil for anything without pages.
  public var page: Int? {
    switch self {
    case .invalidResponseStatus(_, _, let page, _, _), .notReady(_, _, let page, _, _),
      .transportFailure(_, let page, _), .invalidJSON(_, let page, _, _, _, _), .invalidCSV(_, let page, _, _, _),
      .missingContentIdentifier(_, _, let page, _), .decodingError(_, let page, _, _, _, _):
      page
    case .contentFailure(_, let page, _), .paginationLoop(_, let page, _), .invalidPage(_, let page, _): page
    case .invalidURL, .invalidParameter, .outputFailure, .invalidDecoderConfiguration: nil
    }
  }
}
