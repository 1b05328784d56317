#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

import Diagnostics
import Engine
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Wire

extension Pipeline {
  /// The records of a pipeline, or of one run of it.
  public struct Records<Record: SendableMetatype>: AsyncSequence, Sendable, CustomStringConvertible {
    typealias Decode = @Sendable (_ record: JSONValue, _ number: Int, _ secrets: SecretStore) throws -> Record

    /// Name of the spec, without parameters and environment.
    public let description: String
    private let run: @Sendable () -> PipelineRun
    private let decode: Decode

    init(description: String, of run: @escaping @Sendable () -> PipelineRun, decode: @escaping Decode) {
      self.description = "Records(\(description))"
      self.run = run
      self.decode = decode
    }

    /// Creates the iterator; the run begins when the first record is requested.
    public func makeAsyncIterator() -> Iterator {
      Iterator(description: description, run: run(), decode: decode)
    }

    /// Runs the pipeline on demand; releasing the iterator stops the run.
    public struct Iterator: AsyncIteratorProtocol, CustomStringConvertible {
      /// Name of the spec, without parameters and environment.
      public let description: String
      private let run: PipelineRun
      private let decode: Decode
      private var session: Abandoning?
      private var batch = Batch(lines: []).records
      private var number = 0

      fileprivate init(description: String, run: PipelineRun, decode: @escaping Decode) {
        (self.description, self.run, self.decode) = (description, run, decode)
      }

      /// Returns the next record, or nil at the end of a run that is complete or was capped by a limit.
      @concurrent
      public mutating func next() async throws -> Record? {
        let session = try self.session ?? Abandoning(run.begin())
        self.session = session
        while true {
          if let record = batch.next() {
            number += 1
            return try decode(record, number, session.session.secrets)
          }
          guard let next = try await session.session.next() else { return nil }
          batch = next.records
        }
      }
    }
  }
}

/// Ends a session when nobody iterates over its records any more.
private final class Abandoning: Sendable {
  let session: RunSession

  init(_ session: RunSession) { self.session = session }

  deinit {
    Task { [session] in await session.abandon() }
  }
}

extension Pipeline.Records where Record: Decodable {
  init(description: String, decoder: JSONDecoder, of run: @escaping @Sendable () -> PipelineRun) {
    let name = description
    self.init(description: description, of: run) { record, number, secrets in
      do {
        return try decoder.decode(Record.self, from: Data(record.bytes))
      } catch let error as DecodingError {
        throw NetworkingError(error, in: record, number: number, name: name, hiding: secrets)
      }
    }
  }
}

// Mirrors hide the stored values, also if one of these is a part of another value.
extension Pipeline.Records: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Pipeline.Records.Iterator: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A record with the server's own bytes: one compact JSON text.
public struct RawRecord: Sendable, Hashable, CustomStringConvertible {
  /// The JSON text in UTF-8, without a line end.
  public let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The JSON text.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the record as a Swift value.
  ///
  /// - Throws: the decoder's own `DecodingError`.
  public func decode<Value: Decodable>(as type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
    try decoder.decode(type, from: Data(bytes))
  }
}

// Records that go in.

/// The input records of a run from a Swift sequence, encoded as the run reads them.
final class RecordFeed: Sendable {
  let pipe = RecordPipe()
  private let write: @Sendable (RecordPipe) async throws -> Void
  private let state = Locked<(task: Task<Void, Never>?, error: (any Error)?)>((nil, nil))

  /// Creates a feed from a sequence.
  ///
  /// - Parameter line: the JSON text of a record.
  init<Records: AsyncSequence & Sendable>(
    _ records: Records, line: @escaping @Sendable (Records.Element) throws -> [UInt8]
  ) {
    write = { pipe in
      for try await record in records {
        guard await pipe.write(try line(record) + [0x0A]) else { return }
      }
    }
  }

  /// The sequence's own error, if it ended with one.
  var error: (any Error)? { state.withLock { $0.error } }

  /// Begins to iterate over the sequence.
  func start() {
    let task = Task.detached { [pipe, write, weak self] in
      do {
        try await write(pipe)
        pipe.finish()
      } catch {
        self?.state.withLock { $0.error = error }
        pipe.finish("the sequence of input records ended with an error: \("\(error)".printableLines)")
      }
    }
    state.withLock { $0.task = task }
  }

  /// Stops iterating.
  func stop() {
    state.withLock { $0.task }?.cancel()
    pipe.close()
  }
}

/// The elements of an array, one after the other.
struct AsyncElements<Element: Sendable>: AsyncSequence, Sendable {
  struct Iterator: AsyncIteratorProtocol {
    fileprivate var rest: ArraySlice<Element>

    mutating func next() async -> Element? { rest.popFirst() }
  }

  let elements: [Element]

  func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...]) }
}
