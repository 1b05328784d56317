// The pass over a body, whatever its format: its records, and for one JSON text also what stands around them.

import JSONText

/// Scanner of one body.
struct BodyScanner: Sendable {
  /// Scanner of a body whose lines are its records; it is indirect, since most bodies are JSON.
  private indirect enum OtherScanner: Sendable {
    case lines(LineScanner)
    case csv(CSVScanner)
  }

  /// Scanner of one JSON text; it has nothing to do for other bodies.
  private var envelope: EnvelopeScanner
  private var other: OtherScanner?

  /// - Parameter envelope: scanner of a body that is JSON.
  init(_ format: BodyFormat, _ envelope: EnvelopeScanner, tokenIndexDepth: Int) {
    self.envelope = envelope
    other =
      switch format {
      case .json: nil
      case .lines: .lines(LineScanner(tokenIndexDepth: tokenIndexDepth))
      case .csv(let dialect): .csv(CSVScanner(dialect))
      }
  }

  mutating func append(_ chunk: [UInt8]) throws(JSONError) {
    guard let scanner = takeOther() else { return try envelope.append(chunk) }
    switch scanner {
    case .lines(var scanner):
      defer { other = .lines(scanner) }
      try scanner.append(chunk)
    case .csv(var scanner):
      defer { other = .csv(scanner) }
      try scanner.append(chunk)
    }
  }

  mutating func finish() throws(JSONError) {
    guard let scanner = takeOther() else { return try envelope.finish() }
    switch scanner {
    case .lines(var scanner):
      defer { other = .lines(scanner) }
      try scanner.finish()
    case .csv(var scanner):
      defer { other = .csv(scanner) }
      try scanner.finish()
    }
  }

  mutating func takeLines() -> (lines: [UInt8], tokenIndex: TokenIndex) {
    guard let scanner = takeOther() else { return envelope.takeLines() }
    switch scanner {
    case .lines(var scanner):
      defer { other = .lines(scanner) }
      return scanner.takeLines()
    case .csv(var scanner):
      defer { other = .csv(scanner) }
      return (scanner.takeRecords(), TokenIndex())
    }
  }

  /// Takes the other scanner out, so that changing it copies nothing.
  private mutating func takeOther() -> OtherScanner? {
    guard other != nil else { return nil }
    defer { other = nil }
    return other
  }

  mutating func takeNames() -> [UInt8] { envelope.takeNames() }

  var recordCount: Int {
    switch other {
    case nil: envelope.recordCount
    case .lines(let scanner): scanner.recordCount
    case .csv(let scanner): scanner.recordCount
    }
  }

  /// The members around the records; valid after `finish()`.
  var surroundings: BodySurroundings { other == nil ? BodySurroundings(envelope) : BodySurroundings() }
}
