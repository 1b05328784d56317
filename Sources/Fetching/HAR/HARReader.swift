// Parsing of HAR files, ours and the browsers', into the data that a replay needs.

import JSONText

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
