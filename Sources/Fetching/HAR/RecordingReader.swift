// Streams a HAR file for a report: entries one by one, bodies never kept.

package import JSONText

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
    guard scanner.finding == .found, scanner.contentKind == .array else { throw .noEntries(name) }
    try takeEntries()
    if requests.isEmpty, let firstError { throw firstError }
    return (scanner.captured[0], scanner.captured[1])
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
    guard entries.isEmpty || scanner.contentKind == .array else { throw .noEntries(name) }
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
