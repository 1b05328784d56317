// Parsing of HAR files, ours and the browsers', into the data that a replay needs.

import JSONText
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A parsed HAR file.
struct HARReader {
  private(set) var answers: [HARAnswer] = []
  /// Start of the recording in Unix seconds.
  private(set) var start: Double?
  /// True if the run continued another one, whose requests are not in the recording.
  private(set) var isResumed = false
  private let name: String

  /// Parses a file.
  ///
  /// - Parameter name: name of the file, for messages.
  init(_ bytes: [UInt8], name: String) throws(ReplayError) {
    self.name = name
    let log = try Self.parsed(bytes, name: name)
    var entries: JSONValue?
    for member in log.members {
      switch member.name {
      case "entries": entries = member.value
      case "pages": readPages(member.value)
      case "_run": isResumed = member.value["resumedFrom"] != nil
      default: break
      }
    }
    guard let entries, entries.kind == .array else { throw ReplayError.noEntries(name) }
    for (index, entry) in entries.elements.enumerated() {
      let answer = try read(entry, at: "/log/entries/\(index)")
      // Browsers also record `data:`, `blob:`, extensions and web sockets.
      if answer.url.lowercased().hasPrefix("http") { answers.append(answer) }
    }
    sortByTime()
  }

  private static func parsed(_ bytes: [UInt8], name: String) throws(ReplayError) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: bytes)["log"] ?? .null
    } catch {
      throw ReplayError(name, error)
    }
  }

  private mutating func readPages(_ pages: JSONValue) {
    for page in pages.elements {
      includeStart(page["startedDateTime"]?.string.flatMap(HARTime.seconds))
    }
  }

  private mutating func includeStart(_ time: Double?) {
    guard let time else { return }
    start = min(start ?? time, time)
  }

  /// Sorts the answers by start time.
  ///
  /// Repeated requests get their answers in request order, and some tools write entries in the order of their ends.
  private mutating func sortByTime() {
    guard answers.allSatisfy({ $0.started != nil }) else { return }
    let order = answers.indices.sorted { a, b in
      (answers[a].started ?? 0, a) < (answers[b].started ?? 0, b)
    }
    answers = order.map { answers[$0] }
  }
}

extension HARReader {
  private mutating func read(_ entry: JSONValue, at path: String) throws(ReplayError) -> HARAnswer {
    var answer = HARAnswer()
    var hasRequest = false
    for member in entry.members {
      switch member.name {
      case "startedDateTime": answer.started = member.value.string.flatMap(HARTime.seconds)
      case "request":
        try readRequest(member.value, into: &answer, at: path + "/request")
        hasRequest = true
      case "_job": answer.job = member.value.string
      case "serverIPAddress": answer.peer = member.value.string
      case "response": readResponse(member.value, into: &answer)
      default: break
      }
    }
    guard hasRequest else { throw ReplayError(name, path, "an entry without a request") }
    includeStart(answer.started)
    return answer
  }

  private func readRequest(_ request: JSONValue, into answer: inout HARAnswer, at path: String) throws(ReplayError) {
    let line = try HARRequestLine(request, at: path, in: name)
    (answer.url, answer.method) = (line.url, line.method)
    answer.requestBody = request["postData"]?["text"]?.string
    answer.requestFields = request["headers"]
  }

  private func readResponse(_ response: JSONValue, into answer: inout HARAnswer) {
    for member in response.members {
      let value = member.value
      switch member.name {
      case "status": answer.status = value.integer ?? 0
      case "headers": answer.fields = value.elements.flatMap(fields)
      case "content": readContent(value, into: &answer)
      case "_trailers": answer.trailers = value.elements.flatMap(fields)
      case "_openEnd": answer.hasOpenEnd = value.boolean == true
      case "_error": answer.error = value.string
      case "_errorKind": answer.errorKind = value.string
      default: break
      }
    }
  }

  private func readContent(_ content: JSONValue, into answer: inout HARAnswer) {
    answer.text = content["text"].flatMap { $0.kind == .string ? $0 : nil }
    answer.isBase64 = content["encoding"]?.string?.lowercased() == "base64"
    answer.size = content["size"]?.integer ?? 0
  }

  /// Returns the fields of a header entry.
  ///
  /// HTTP/2's pseudo-fields (`:status`) are left out, as are fields about the transfer, which are false for a decoded
  /// body. Chrome joins the values of repeated fields with line breaks.
  private func fields(_ header: JSONValue) -> [(name: String, value: String)] {
    guard let name = header["name"]?.string, let value = header["value"]?.string else { return [] }
    guard !name.hasPrefix(":"), !Self.ofTransfer.contains(name.lowercased()) else { return [] }
    return value.split(separator: "\n", omittingEmptySubsequences: false).map { (name, String($0)) }
  }

  private static let ofTransfer: Set = ["content-encoding", "content-length", "transfer-encoding"]
}

// MARK: Converts a response body into `content.text`: redacted, then escaped or in base64, a piece at a time

/// Converts a body to the text between the quotes of `content.text`.
///
/// Bodies can be larger than memory, so only a piece is held.
struct HARBodyText {
  private let isText: Bool
  private var filter: SecretFilter
  /// Keeps a redacted JSON text one; nil without secrets.
  private var quotes: MaskQuotes?
  /// Bytes that wait for the rest of their scalar, or of their group of three.
  private var pending: [UInt8] = []

  /// Starts the conversion of a body.
  ///
  /// - Parameter isText: true if the whole body is valid UTF-8; otherwise base64 is written.
  init(isText: Bool, secrets: SecretStore) {
    self.isText = isText
    filter = SecretFilter(secrets: secrets, isText: isText)
    quotes = isText && filter.hasSecrets ? MaskQuotes() : nil
  }

  mutating func append(_ bytes: [UInt8]) -> [UInt8] {
    let redacted = filter.append(bytes)
    pending += quotes?.append(redacted) ?? redacted
    let cut = isText ? wholeScalars(in: pending) : pending.count - pending.count % 3
    defer { pending.removeFirst(cut) }
    return encoded(pending.prefix(cut))
  }

  /// Returns the rest of the text.
  ///
  /// - Parameter isCut: true if the body was cut at its end (`SecretMatcher.redacting`).
  mutating func finish(isCut: Bool) -> [UInt8] {
    let redacted = filter.finish(isCut: isCut)
    pending += quotes?.append(redacted) ?? redacted
    pending += quotes?.finish() ?? []
    defer { pending = [] }
    return encoded(pending[...])
  }

  private func encoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    isText
      ? String(decoding: bytes, as: UTF8.self).quotedJSON.dropFirst().dropLast()
      : Array(Data(bytes).base64EncodedString().utf8)
  }
}

/// Returns the length of the longest prefix that doesn't end inside a scalar (Unicode 16, table 3-6).
func wholeScalars(in bytes: [UInt8]) -> Int {
  for back in 1...3 where back <= bytes.count {
    let byte = bytes[bytes.count - back]
    if byte & 0xC0 == 0x80 { continue }
    let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
    return length > back ? bytes.count - back : bytes.count
  }
  return bytes.count
}

/// Checks that bytes that arrive in pieces are UTF-8.
struct UTF8Check {
  private(set) var isValid = true
  private var pending: [UInt8] = []

  mutating func append(_ bytes: [UInt8]) {
    guard isValid else { return }
    let bytes = pending + bytes
    let cut = wholeScalars(in: bytes)
    pending = Array(bytes[cut...])
    isValid = String(validating: bytes[..<cut], as: UTF8.self) != nil
  }

  /// True if all bytes were valid, to the last scalar.
  var isWhole: Bool { isValid && pending.isEmpty }
}

/// Unpacks a HAR file while its bytes arrive; a file that is not packed passes unchanged.
struct HARUnpacker {
  private let name: String
  /// First bytes, until they show whether the file is packed.
  private var head: [UInt8] = []
  private var hasHead = false
  /// The decoder of a packed file.
  private var inflater: Inflater?
  private var count = 0

  /// - Parameter name: name of the file, for messages.
  init(name: String) {
    self.name = name
  }

  /// Takes the next bytes, and passes the text that they contain to `take`.
  ///
  /// - Throws: `ReplayError` if the packed file is broken or too large, and the errors of `take`.
  mutating func unpack(
    _ chunk: [UInt8], to take: ([UInt8]) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    guard !hasHead else { return try give(chunk, to: take) }
    head += chunk
    guard head.count > 2 else { return }
    try begin(to: take)
  }

  /// Ends the file.
  ///
  /// - Throws: `ReplayError` if the packed file was cut short, and the errors of `take`.
  mutating func finish(to take: ([UInt8]) throws(ReplayError) -> Void) throws(ReplayError) {
    if !hasHead { try begin(to: take) }
    if let inflater, !inflater.isWhole { throw ReplayError(problem: "'\(name)' is packed, and was cut short") }
  }

  private mutating func begin(to take: ([UInt8]) throws(ReplayError) -> Void) throws(ReplayError) {
    hasHead = true
    if HARFile.isPacked(head) {
      inflater = Inflater()
      guard inflater != nil else {
        throw ReplayError(problem: "'\(name)' is packed, and zlib is missing: install zlib, or unpack the file")
      }
    }
    let first = head
    head = []
    try give(first, to: take)
  }

  private mutating func give(
    _ chunk: [UInt8], to take: ([UInt8]) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    guard let inflater else { return try take(chunk) }
    inflater.give(chunk)
    while true {
      switch inflater.next() {
      case .bytes(let text):
        count += text.count
        guard count <= HARFile.limit else {
          throw ReplayError(problem: "'\(name)' has more than \(HARFile.limit) bytes when it is unpacked")
        }
        try take(text)
      case .needsInput: return
      case .broken: throw ReplayError(problem: "'\(name)' is packed, and broken: it can't be unpacked")
      case .outOfMemory: throw ReplayError(problem: "'\(name)' can't be unpacked: there is no memory")
      }
    }
  }
}
