import JSONText

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One recorded exchange.
struct HARAnswer: Sendable {
  var method = "GET"
  var url = ""
  var requestBody: String?
  /// The request's header fields, not decoded before they are needed.
  var requestFields: JSONValue?
  /// Name of the job; nil in a recording of another program.
  var job: String?
  /// Start of the request, in Unix seconds.
  var started: Double?
  /// Status of the response; 0 if none arrived.
  var status = 0
  var fields: [(name: String, value: String)] = []
  var trailers: [(name: String, value: String)] = []
  /// True if nothing but the end of the connection said where the body ended.
  var hasOpenEnd = false
  var error: String?
  var errorKind: String?
  /// Address that answered.
  var peer: String?
  /// Body text, not decoded before it is needed, since bodies make up most of a file.
  var text: JSONValue?
  var isBase64 = false
  /// Size that the file claims for the body; Firefox leaves a large body out of the file.
  var size = 0

  /// True if the recording run cancelled the exchange before it was complete.
  var isCancelled: Bool { errorKind == TransportError.Kind.cancelled.rawValue }

  /// True if the server refused the credentials of the request.
  var isRefusal: Bool { status == 401 }

  /// The body's bytes, or nil if the file does not contain them.
  var body: [UInt8]? {
    guard let text else { return size > 0 ? nil : [] }
    guard let string = text.string else { return nil }
    guard isBase64 else { return Array(string.utf8) }
    return Data(base64Encoded: string, options: .ignoreUnknownCharacters).map { Array($0) }
  }
}
