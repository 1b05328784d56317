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
  /// Unix seconds.
  var started: Double?
  /// 0 when no response came.
  var status = 0
  var fields: [(name: String, value: String)] = []
  var error: String?
  var errorKind: String?
  /// The address that answered.
  var peer: String?
  /// Left as they stand until somebody asks: most of a file is bodies.
  var text: JSONValue?
  var isBase64 = false
  /// The size that the file claims for the body, which Firefox leaves out of the file when it is large.
  var size = 0

  /// Whether a run of ours had no use for it any more before it was there.
  var isGivenUp: Bool { errorKind == TransportError.Kind.cancelled.name }

  /// The body's bytes, or nil when the file doesn't hold them.
  var body: [UInt8]? {
    guard let text else { return size > 0 ? nil : [] }
    guard let string = text.string else { return nil }
    guard isBase64 else { return Array(string.utf8) }
    return Data(base64Encoded: string, options: .ignoreUnknownCharacters).map { Array($0) }
  }
}
