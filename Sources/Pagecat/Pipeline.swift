// The public library: a spec file, and its records as Swift values.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Diagnostics
import JSONText
import PipelineSpec
import Wire

/// A fetch job, or several in a row, as a spec file describes it.
///
///     let pipeline = try Pipeline(contentsOf: "pipelines/coins.yaml", parameters: ["currency": "eur"])
///     for try await coin in pipeline.records(as: Coin.self) { … }
public struct Pipeline: Sendable {
  private let specs: [Spec]
  private let options: RunOptions

  /// Reads a spec; nothing is requested yet.
  ///
  /// - Parameters:
  ///   - path: the spec's file.
  ///   - parameters: values for what the spec declares under `params`, as on the command line.
  ///   - environment: what `${env.NAME}` reads, and where the CA bundle's variables come from. Proxies come from the
  ///     process's own environment.
  /// - Throws: `SpecError` with every mistake of the spec, its place, and what to write instead.
  public init(
    contentsOf path: String, parameters: [String: String] = [:],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    specs = [try Spec(path: path)]
    var options = RunOptions()
    options.parameters = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    options.environment = Environment(environment)
    self.options = options
  }

  /// The records, decoded one after the other as they are fetched. Each iteration is a run of its own. A pipeline whose
  /// first job reads records and has no `each` reads them from the process's standard input.
  ///
  /// Iteration throws `SpecError` when a required parameter or variable is missing (before any request), a
  /// `NetworkingError` when the run fails, and `IncompleteError` at the end when that is not all there is. Every
  /// record fetched before that has been given.
  public func records<Record: Decodable>(
    as type: Record.Type, decoder: JSONDecoder = JSONDecoder()
  ) -> Records<Record> {
    Records(specs: specs, options: options, decoder: decoder)
  }

  /// The records of a pipeline.
  public struct Records<Record: Decodable>: AsyncSequence {
    fileprivate let specs: [Spec]
    fileprivate let options: RunOptions
    fileprivate let decoder: JSONDecoder

    /// A run of its own, which begins with the first record that is asked for.
    public func makeAsyncIterator() -> Iterator {
      Iterator(specs: specs, options: options, decoder: decoder)
    }

    /// Runs the pipeline as records are asked for; an iterator that is dropped stops it.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let specs: [Spec]
      fileprivate let options: RunOptions
      fileprivate let decoder: JSONDecoder
      private var run: Run?
      private var batch = Batch(lines: []).records
      private var number = 0

      fileprivate init(specs: [Spec], options: RunOptions, decoder: JSONDecoder) {
        self.specs = specs
        self.options = options
        self.decoder = decoder
      }

      /// The next record, or nil at the end of a run that is complete, or was capped by a limit.
      @concurrent
      public mutating func next() async throws -> Record? {
        let run = try self.run ?? begin()
        while true {
          if let record = batch.next() { return try decode(Data(record.bytes)) }
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
        let run = try Run(specs, options: options, source: .network, input: Input(descriptor: 0)) { _, _ in }
        self.run = run
        return run
      }

      private func end(_ run: Run) throws -> Record? {
        let facts = run.report.facts
        if let failure = facts.failure { throw failure.error }
        switch facts.verdict {
        case .complete, .capped: return nil
        case .short, .partial, .failed: throw IncompleteError(verdict: facts.verdict.rawValue, reason: facts.reason)
        }
      }

      private mutating func decode(_ data: Data) throws -> Record {
        number += 1
        do {
          return try decoder.decode(Record.self, from: data)
        } catch let error as DecodingError {
          throw NetworkingError(error, record: number, name: specs.last?.name ?? "")
        }
      }
    }
  }
}

extension NetworkingError {
  fileprivate init(_ error: DecodingError, record: Int, name: String) {
    let (context, expected) =
      switch error {
      case .typeMismatch(let type, let context), .valueNotFound(let type, let context): (context, "\(type)")
      case .keyNotFound(let key, let context): (context, "a member '\(key.stringValue)'")
      case .dataCorrupted(let context): (context, "valid data")
      @unknown default: (DecodingError.Context(codingPath: [], debugDescription: "\(error)"), "valid data")
      }
    self = .decodingError(
      source: name, page: nil, record: record, keyPath: context.codingPath.map(\.stringValue).joined(separator: "."),
      expected: expected, found: context.debugDescription)
  }
}

extension Spec {
  /// Reads a spec file; `-` is standard input.
  ///
  /// - Throws: `SpecError` with every mistake.
  package init(path: String, input: Input? = nil) throws {
    do {
      let source = path == "-" ? input ?? Input(descriptor: 0) : try Input(path: path)
      try self.init(reading: SourceText(name: source.name, bytes: try source.readAll()))
    } catch let fault as InputFault {
      throw SpecError(messages: [fault.problem])
    } catch let mistakes as Mistakes {
      throw SpecError(mistakes)
    }
  }
}
