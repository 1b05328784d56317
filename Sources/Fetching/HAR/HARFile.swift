import Files
import JSONText
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A HAR file as it is stored: as text, or packed as `.har.gz` (RFC 1952) or as mitmproxy's `.zhar` (RFC 1950).
package enum HARFile {
  /// Limit for the unpacked text, in bytes: a replay holds it in memory.
  static let limit = 2_000_000_000

  /// Returns the text of a file, unpacked if it is packed, whatever its name is.
  ///
  /// - Throws: `ReplayError` if the packed file is broken, cut short or too large.
  package static func text(_ bytes: [UInt8], name: String) throws(ReplayError) -> [UInt8] {
    guard isPacked(bytes) else { return bytes }
    var unpacker = HARUnpacker(name: name)
    var text: [UInt8] = []
    try unpacker.unpack(bytes) { text += $0 }
    try unpacker.finish { text += $0 }
    return text
  }

  /// Returns the content of a file that may be packed, or the only one of a zip archive.
  package static func content(of bytes: [UInt8], name: String) throws(ReplayError) -> [UInt8] {
    guard bytes.starts(with: [0x50, 0x4B]) else { return try text(bytes, name: name) }
    let (content, problem) = ZipReader.content(of: bytes, limit: limit)
    if let problem { throw ReplayError(problem: "'\(name)': \(problem)") }
    return content
  }

  /// Reports that a text begins with the header of gzip, or of zlib with its check (RFC 1950 §2.2); no JSON text does.
  static func isPacked(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 2 else { return false }
    let isZlib = bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 + Int(bytes[1])) % 31 == 0
    return bytes.starts(with: [0x1F, 0x8B]) || bytes[0] == 0x78 && isZlib
  }
}

/// The reason why a recording can't be read, with its name and the JSON path of the problem (exit 2).
package struct ReplayError: Error, Hashable, Sendable {
  package let problem: String
  package init(problem: String) { self.problem = problem }

  /// - Parameters:
  ///   - name: name of the file.
  ///   - path: JSON path of the problem; empty for the whole file.
  init(_ name: String, _ path: String, _ problem: String) {
    self.problem = "'\(name)'\(path.isEmpty ? "" : ", \(path):") \(problem)"
  }

  init(_ name: String, _ error: JSONError) {
    problem =
      "'\(name)' is not a HAR file: at line \(error.line), column \(error.column), \(error.sentence)\(Self.advice)"
  }

  /// The error for a file without a list of entries.
  static func noEntries(_ name: String) -> ReplayError {
    ReplayError(name, "", "has no /log/entries, so it is not a HAR file\(advice)")
  }

  static let advice = "; give a recording of '--record', or a browser's"
}

/// The text around the entries of a HAR file.
///
/// An entry is one line, so that `grep` can search the file.
enum HARFrame {
  static func opening(creatorVersion: String, start: Int) -> [UInt8] {
    let creator = JSONValue(members: [("name", JSONValue("pagecat")), ("version", JSONValue(creatorVersion))])
    let page = JSONValue(members: [
      ("startedDateTime", JSONValue(HARTime.text(of: Double(start)))),
      ("id", JSONValue(HAREntry.page)),
      ("title", JSONValue("pagecat run")),
      ("pageTimings", JSONValue(members: [])),
    ])
    return Array(#"{"log":{"version":"1.2","creator":"#.utf8) + creator.bytes + Array(#","pages":["#.utf8)
      + page.bytes + Array("],\"entries\":[\n".utf8)
  }

  static let separator = Array(",\n".utf8)

  /// Returns the end of the file.
  ///
  /// - Parameter run: outcome of the run, for the custom member `_run`; nil if it is not known.
  static func closing(run: JSONValue?) -> [UInt8] {
    Array("\n]".utf8) + (run.map { Array(#","_run":"#.utf8) + $0.bytes } ?? []) + Array("}}\n".utf8)
  }
}

/// Method and URL of a recorded request, which every entry must have.
struct HARRequestLine {
  let method: String
  let url: String

  /// - Parameters:
  ///   - path: JSON path of the request, for messages.
  ///   - name: name of the file, for messages.
  init(_ request: JSONValue, at path: String, in name: String) throws(ReplayError) {
    guard let url = request["url"]?.string else { throw ReplayError(name, path, "a request without a URL") }
    guard let method = request["method"]?.string else {
      throw ReplayError(name, path, "a request without a method")
    }
    (self.url, self.method) = (url, method.uppercased())
  }
}

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
