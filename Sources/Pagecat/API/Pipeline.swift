// The public library: a spec file, and its records as Swift values.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Diagnostics
import JSONText
import PipelineSpec
import Synchronization
import Wire

/// A fetch job, or several in a row, that a spec file describes.
///
///     let pipeline = try Pipeline(contentsOf: "pipelines/coins.yaml", parameters: ["currency": "eur"])
///     for try await coin in pipeline.records(as: Coin.self) { … }
public struct Pipeline: Sendable, CustomStringConvertible {
  /// Name of the spec, without parameters and environment, since the environment holds secrets.
  public var description: String { "Pipeline(\(specs.map(\.name).joined(separator: ", ").printable))" }

  private let specs: [Spec]
  private let options: RunOptions

  /// Reads a spec, without a request.
  ///
  /// - Parameters:
  ///   - path: the spec's file; `-` is standard input.
  ///   - parameters: values for the spec's `params`, as on the command line.
  ///   - environment: variables for `${env.NAME}`, and those that name the CA bundle. Proxies come from the process's
  ///     own environment.
  /// - Throws: `SpecError` with every error of the spec, its location, and a correction.
  public init(
    contentsOf path: String, parameters: [String: String] = [:],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    if path == "-" { try StandardInput.take() }
    specs = [try Spec(path: path)]
    var options = RunOptions()
    options.parameters = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    options.environment = Environment(environment)
    self.options = options
  }

  /// Returns the records, decoded one after the other as they are fetched.
  ///
  /// Each iteration is a separate run. A pipeline whose first job reads records and has no `each` reads them from the
  /// process's standard input. Only one iteration in a process can do that.
  ///
  /// Every record that was fetched before an error has been returned. Iteration throws:
  /// - `SpecError` if a parameter or variable is missing or wrong (before any request)
  /// - `NetworkingError` if the run fails
  /// - `CancellationError` if its task is cancelled
  /// - `IncompleteError` at the end if records are missing
  ///
  /// Records are decoded off the main actor. A request may need eight open files; the app must make sure that the
  /// process may open as many (RLIMIT_NOFILE).
  public func records<Record: Decodable & SendableMetatype>(
    as type: Record.Type, decoder: JSONDecoder = JSONDecoder()
  ) -> Records<Record> {
    Records(specs: specs, options: options, decoder: decoder)
  }

  /// The records of a pipeline.
  public struct Records<Record: Decodable & SendableMetatype>: AsyncSequence, CustomStringConvertible {
    /// Name of the spec, without parameters and environment.
    public var description: String { "Records(\(specs.map(\.name).joined(separator: ", ").printable))" }

    fileprivate let specs: [Spec]
    fileprivate let options: RunOptions
    fileprivate let decoder: JSONDecoder

    /// Creates a run, which begins when the first record is requested.
    public func makeAsyncIterator() -> Iterator {
      Iterator(specs: specs, options: options, decoder: decoder)
    }

    /// Runs the pipeline on demand; releasing the iterator stops the run.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let specs: [Spec]
      fileprivate let options: RunOptions
      fileprivate let decoder: JSONDecoder
      private var run: Run?
      private var batch = Batch(lines: []).records
      private var number = 0
      /// The first input record that was left out or answered empty.
      private let firstReject = FirstReject()

      fileprivate init(specs: [Spec], options: RunOptions, decoder: JSONDecoder) {
        self.specs = specs
        self.options = options
        self.decoder = decoder
      }

      /// Returns the next record, or nil at the end of a run that is complete or was capped by a limit.
      @concurrent
      public mutating func next() async throws -> Record? {
        let run = try self.run ?? begin()
        while true {
          if let record = batch.next() { return try decode(record, run) }
          try Task.checkCancellation()
          let next = await withTaskCancellationHandler {
            await run.next()
          } onCancel: {
            Task { await run.stop() }
          }
          guard let next else {
            try Task.checkCancellation()
            return try end(run)
          }
          run.count(next)
          batch = next.records
        }
      }

      private mutating func begin() throws -> Run {
        do {
          let run = try Run(
            specs, options: options, source: .network, input: Input(descriptor: 0),
            tell: { [firstReject] failure, _ in firstReject.hear(failure) })
          if specs[0].jobs[0].readsRecords, specs[0].jobs[0].each == nil { try StandardInput.take() }
          self.run = run
          return run
        } catch let fault as OutputError {
          throw NetworkingError.outputFailure(reason: fault.problem)
        }
      }

      private func end(_ run: Run) throws -> Record? {
        let facts = run.report.counters
        if let failure = facts.failure { throw failure.error.placed(inRecord: failure.record) }
        switch facts.verdict {
        case .short, .failed: throw IncompleteError(verdict: facts.verdict.rawValue, reason: facts.reason)
        case .partial:
          let first = firstReject.description.map { "; the first: \($0)" } ?? ""
          throw IncompleteError(verdict: facts.verdict.rawValue, reason: facts.reason + first)
        case .complete, .capped:
          if let more = facts.more { throw IncompleteError(verdict: facts.verdict.rawValue, reason: more) }
          return nil
        }
      }

      private mutating func decode(_ record: JSONValue, _ run: Run) throws -> Record {
        number += 1
        do {
          return try decoder.decode(Record.self, from: Data(record.bytes))
        } catch let error as DecodingError {
          throw NetworkingError(error, in: record, number: number, name: specs.last?.name ?? "", hiding: run.secrets)
        }
      }
    }
  }
}

// Mirrors hide the stored values, also if one of these is a part of another value.
extension Pipeline: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Pipeline.Records: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Pipeline.Records.Iterator: CustomReflectable, CustomStringConvertible {
  /// Name of the spec, without parameters and environment.
  public var description: String { "Iterator(\(specs.map(\.name).joined(separator: ", ").printable))" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The process's standard input, for only one reader: bytes that it has read ahead are lost to others.
private enum StandardInput {
  private static let isTaken = Atomic(false)

  static func take() throws {
    guard !isTaken.exchange(true, ordering: .relaxed) else {
      throw SpecError(messages: ["standard input can be read once in a process, and it has been"])
    }
  }
}

/// Stores the first failure that it receives.
private final class FirstReject: Sendable {
  private let first = Locked<Failure?>(nil)

  func hear(_ failure: Failure) { first.withLock { $0 = $0 ?? failure } }

  var description: String? { first.withLock { $0?.description } }
}

extension NetworkingError {
  /// Creates the error for a record that does not decode.
  ///
  /// - Parameter number: number of the record in the stream, from 1.
  fileprivate init(
    _ error: DecodingError, in record: JSONValue, number: Int, name: String, hiding secrets: SecretStore
  ) {
    let readable = "a value that can be read"
    let (context, expected) =
      switch error {
      case .typeMismatch(let type, let context), .valueNotFound(let type, let context): (context, "\(type)")
      case .keyNotFound(let key, let context): (context, "a member '\(key.stringValue)'")
      case .dataCorrupted(let context): (context, readable)
      @unknown default: (DecodingError.Context(codingPath: [], debugDescription: "\(error)"), readable)
      }
    // A decoder with a key strategy uses other names than the record.
    let found = record[JSONPath(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue })]
    let words = context.debugDescription
    let text = found.map { "\($0.kind.withArticle) (\($0.text)): \(words)" } ?? words
    self = .decodingError(
      source: name.printable, page: nil, record: number, keyPath: quoted(secrets.redacting(context.spelledPath)),
      expected: quoted(secrets.redacting(expected)), found: quoted(secrets.redacting(text)))
  }

  /// Returns this error with the input record's number, if nothing else in it tells the record.
  fileprivate func placed(inRecord number: Int?) -> NetworkingError {
    guard let number, case .invalidParameter(let template, let place, let reason) = self else { return self }
    return .invalidParameter(template: template, place: "\(place), input record \(number)", reason: reason)
  }
}

extension DecodingError.Context {
  /// Path in the form `address.city` or `tags[2]`.
  fileprivate var spelledPath: String {
    codingPath.reduce(into: "") { path, key in
      path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? key.stringValue : ".\(key.stringValue)")
    }
  }
}

extension OutputError {
  fileprivate var problem: String {
    switch self {
    case .readerGone: "its reader went away"
    case .failed(let problem), .busy(let problem): problem
    }
  }
}

extension Spec {
  /// Reads a spec file; `-` is standard input.
  ///
  /// - Throws: `SpecError` with every error of the spec.
  package init(path: String, input: Input? = nil) throws {
    do {
      let source = path == "-" ? input ?? Input(descriptor: 0) : try Input(path: path)
      try self.init(reading: SourceText(name: source.name, bytes: try source.readAll()))
    } catch let fault as InputError {
      throw SpecError(messages: [fault.problem])
    } catch let mistakes as DiagnosticList {
      throw SpecError(mistakes)
    }
  }
}
