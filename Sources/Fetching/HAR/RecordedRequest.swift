package import JSONText

/// The facts about one recorded exchange that a report shows; texts are cut to a few hundred characters.
package struct RecordedRequest: Sendable, Hashable {
  /// A part of the time of an exchange, in the order of the parts.
  package enum Phase: Int, CaseIterable, Sendable {
    /// The attempt waits, since the previous one failed.
    case retry
    /// The request waits for a rate, or for a pause that its origin asked for.
    case rate
    /// A browser holds the request back, for a free connection or the like.
    case queue
    /// The name is looked up, and the connection is made, including TLS.
    case connect
    /// The request is sent, and the server is at work.
    case wait
    /// The reply arrives.
    case receive
  }

  package var method = ""
  package var url = ""
  /// Name of the job; nil in a recording of another program.
  package var job: String?
  /// Number of the page in its stream, from 1.
  package var page: Int?
  /// Number of the attempt, from 1.
  package var attempt = 1
  /// Start of the exchange in Unix seconds, after `retry` and `rate`; nil if the file does not say so.
  package var started: Double?
  /// Seconds by phase (`Phase.rawValue`); 0 where it is not known.
  package var times = [Double](repeating: 0, count: Phase.allCases.count)
  /// Status of the response; 0 if none arrived.
  package var status = 0
  /// Size of the body in bytes, decoded.
  package var bytes = 0
  package var error: String?
  package var errorKind: String?

  package init() {}

  /// True for `http` and `https`; browsers also record `data:`, `blob:`, extensions and web sockets.
  var isHTTP: Bool { url.lowercased().hasPrefix("http") }
}

extension RecordedRequest {
  /// Reads an entry of a HAR file.
  ///
  /// - Parameter path: JSON path of the entry, for messages.
  init(entry: JSONValue, at path: String, in name: String) throws(ReplayError) {
    var hasRequest = false
    var total = 0.0
    for member in entry.members {
      let value = member.value
      switch member.name {
      case "request":
        let line = try HARRequestLine(value, at: path + "/request", in: name)
        (method, url) = (line.method.clipped(to: 40), line.url.clipped(to: 400))
        hasRequest = true
      case "startedDateTime": started = value.string.flatMap(HARTime.seconds)
      case "time": total = value.seconds
      case "timings": readTimings(value)
      case "response": readResponse(value)
      case "_job": job = value.string?.clipped(to: 200)
      case "_page": page = value.integer
      case "_attempt": attempt = max(1, value.integer ?? 1)
      case "_waited": readWaits(value)
      default: break
      }
    }
    guard hasRequest else { throw ReplayError(name, path, "an entry without a request") }
    // Some tools say only how long the exchange took.
    if times.dropFirst(Phase.queue.rawValue).allSatisfy({ $0 == 0 }) { times[Phase.wait.rawValue] = total }
  }

  private mutating func readTimings(_ timings: JSONValue) {
    for member in timings.members {
      let phase: Phase
      switch member.name {
      case "blocked": phase = .queue
      // TLS (`ssl`) is part of `connect`.
      case "dns", "connect": phase = .connect
      case "send", "wait": phase = .wait
      case "receive": phase = .receive
      default: continue
      }
      times[phase.rawValue] += member.value.seconds
    }
  }

  private mutating func readWaits(_ waits: JSONValue) {
    times[Phase.retry.rawValue] = waits["retry"]?.seconds ?? 0
    times[Phase.rate.rawValue] = waits["rate"]?.seconds ?? 0
  }

  private mutating func readResponse(_ response: JSONValue) {
    for member in response.members {
      let value = member.value
      switch member.name {
      case "status": status = (0...999).contains(value.integer ?? -1) ? value.integer ?? 0 : 0
      case "content": bytes = min(max(0, value["size"]?.integer ?? 0), 1 << 50)
      // Chrome's name of the problem is `_error` too.
      case "_error": error = value.string.flatMap { $0.isEmpty ? nil : $0.clipped(to: 400) }
      case "_errorKind": errorKind = value.string?.clipped(to: 40)
      default: break
      }
    }
  }
}

extension JSONValue {
  /// A number of milliseconds in seconds; 0 for -1, which stands for unknown, and for what no exchange takes.
  fileprivate var seconds: Double {
    guard kind == .number, let number = Double(text), number > 0, number < 1e13 else { return 0 }
    return number / 1_000
  }
}

extension String {
  /// The first scalars of a text, and an ellipsis if there are more.
  fileprivate func clipped(to count: Int) -> String {
    guard utf8.count > count, let end = unicodeScalars.index(startIndex, offsetBy: count, limitedBy: endIndex),
      end < endIndex
    else { return self }
    return String(self[..<end]) + "…"
  }
}

// Streams a HAR file for a report: entries one by one, bodies never kept.

/// Reads the facts of a recording while its bytes arrive; it holds one entry at a time.
package struct RecordingReader {
  /// Limit for the requests, which are held in memory, at a few hundred bytes each.
  private static let limit = 1_000_000

  private let name: String
  private var unpacker: HARUnpacker
  private var scanner = EnvelopeScanner(
    WantedPaths(content: ["log", "entries"], captures: [["log", "_run"], ["log", "creator"]]))
  private var count = 0
  package private(set) var requests: [RecordedRequest] = []
  /// Number of entries with other URLs than http and https, such as `data:` and `chrome-extension:`.
  package private(set) var otherCount = 0
  /// Number of entries that can't be read.
  package private(set) var unreadCount = 0
  private var firstError: ReplayError?

  /// - Parameter name: name of the file, for messages.
  package init(name: String) {
    self.name = name
    unpacker = HARUnpacker(name: name)
  }

  /// Takes the next bytes of the file, which may be packed.
  ///
  /// - Throws: `ReplayError` that names the place of a mistake.
  package mutating func read(_ chunk: [UInt8]) throws(ReplayError) {
    try steps { (reader, unpacker) throws(ReplayError) in
      try unpacker.unpack(chunk) { (text) throws(ReplayError) in try reader.scan(text) }
    }
  }

  /// Ends the file, and returns its members `_run` and `creator`.
  package mutating func finish() throws(ReplayError) -> (run: JSONValue?, creator: JSONValue?) {
    try steps { (reader, unpacker) throws(ReplayError) in
      try unpacker.finish { (text) throws(ReplayError) in try reader.scan(text) }
    }
    do throws(JSONError) {
      try scanner.finish()
    } catch {
      throw ReplayError(name, error)
    }
    let metadata = scanner.metadata
    guard metadata.finding == .found, metadata.contentKind == .array else { throw .noEntries(name) }
    try takeEntries()
    if requests.isEmpty, let firstError { throw firstError }
    return (metadata.captured[0], metadata.captured[1])
  }

  /// Calls a step with the unpacker beside the rest of the reader, since both change.
  private mutating func steps(
    _ step: (inout RecordingReader, inout HARUnpacker) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    var unpacker = unpacker
    try step(&self, &unpacker)
    self.unpacker = unpacker
  }

  private mutating func scan(_ text: [UInt8]) throws(ReplayError) {
    do throws(JSONError) {
      try scanner.append(text)
    } catch {
      throw ReplayError(name, error)
    }
    try takeEntries()
  }

  private mutating func takeEntries() throws(ReplayError) {
    let entries = scanner.takeRecords()
    // An object or a scalar is a record too.
    guard entries.isEmpty || scanner.metadata.contentKind == .array else { throw .noEntries(name) }
    for entry in entries.split(separator: UInt8(ascii: "\n")) {
      let request: RecordedRequest
      defer { count += 1 }
      do {
        request = try RecordedRequest(entry: JSONValue(validated: entry), at: "/log/entries/\(count)", in: name)
      } catch {
        firstError = firstError ?? error
        unreadCount += 1
        continue
      }
      guard request.isHTTP else {
        otherCount += 1
        continue
      }
      guard requests.count < Self.limit else {
        throw ReplayError(name, "", "has more than \(Self.limit) requests, which no report can show")
      }
      requests.append(request)
    }
  }
}
