// `unwrap` without a network: reads envelopes and writes NDJSON as the bytes arrive.

import Diagnostics
import JSONText
import Wire

/// Extracts the records of envelopes in files or on standard input.
package struct EnvelopeUnwrapper {
  private let content: JSONPath
  private let isLines: Bool

  /// Creates an unwrapper for one content path.
  ///
  /// - Parameters:
  ///   - key: the path of the content, or `.` for the body itself; in it, `*` is every element or member.
  ///   - isLines: true if an input is NDJSON with one envelope a line, rather than one JSON text.
  /// - Throws: `SpecError` for a text that is not a path.
  package init(key: String, isLines: Bool) throws(SpecError) {
    self.isLines = isLines
    do {
      content = key == "." ? [] : try JSONPath(key)
    } catch {
      throw SpecError(messages: [([error.message] + [error.advice].compactMap { $0 }).joined(separator: ": ").printable]
      )
    }
  }

  /// Reads one input to its end.
  ///
  /// Records that were complete before an error have been written.
  ///
  /// - Throws: `NetworkingError` if the input is invalid, `InputError` if it can't be read, and the errors of `write`.
  package func read(_ input: Input, write: ([UInt8]) throws -> Void) throws {
    do {
      if isLines { try readLines(input, write) } else { try readText(input, write) }
    } catch let fault as JSONError {
      throw NetworkingError(fault, source: input.name.printable, hiding: SecretStore())
    }
  }

  private func readText(_ input: Input, _ write: ([UInt8]) throws -> Void) throws {
    var scanner = EnvelopeScanner(WantedPaths(content: content))
    do {
      var buffer = [UInt8](repeating: 0, count: Input.chunkSize)
      var hasBegun = false
      while case let count = try input.read(into: &buffer), count > 0 {
        if !hasBegun { try input.refuseGzip(buffer[..<count]) }
        hasBegun = true
        try scanner.append(count == buffer.count ? buffer : Array(buffer[..<count]))
        try write(scanner.takeRecords())
      }
      try scanner.finish()
    } catch let fault as JSONError {
      try write(scanner.takeRecords())
      throw fault
    }
    try write(scanner.takeRecords())
    try check(scanner.finding, input.name)
  }

  /// Reads lines, each of which is an envelope; lines are validated as they are read.
  private func readLines(_ input: Input, _ write: ([UInt8]) throws -> Void) throws {
    var lines = LineScanner()
    var scanner = EnvelopeScanner(WantedPaths(content: content))
    var number = 0
    while true {
      let chunk = try input.next()
      if number == 0 { try input.refuseGzip((chunk ?? [])[...]) }
      var fault: JSONError?
      do {
        if let chunk { try lines.append(chunk) } else { try lines.finish() }
      } catch {
        fault = error
      }
      var records: [UInt8] = []
      do {
        for envelope in Batch(lines: lines.takeRecords()).records {
          number += 1
          scanner.reset()
          try scanner.append(Array(envelope.bytes))
          try scanner.finish()
          records += scanner.takeRecords()
          try check(scanner.finding, "\(input.name), record \(number)")
        }
      } catch {
        try write(records)
        throw error
      }
      try write(records)
      if let fault { throw fault }
      if chunk == nil { return }
    }
  }

  private func check(_ finding: ContentFinding, _ name: String) throws(NetworkingError) {
    guard case .missing(let path, let available, let kind, _) = finding else { return }
    throw .missingContentIdentifier(
      identifier: content.description.printable, source: name.printable, page: nil,
      reason: missingReason(content, path, available, kind, remedy: "write '.' as the KEY to take the body itself"))
  }
}
