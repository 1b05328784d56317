// The public library: a spec, and its records as Swift values.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
@_exported public import Engine
import Primitives
import Diagnostics
import JSONText
import PipelineSpec
import Wire
import YAMLText

/// A fetch job, or several in a row, that a spec describes.
///
///     let pipeline = try Pipeline(contentsOf: "pipelines/coins.yaml", parameters: ["currency": "eur"])
///     for try await coin in pipeline.records(as: Coin.self) { … }
///
/// A value has no state: each iteration, and each `run`, fetches again.
public struct Pipeline: Sendable, CustomStringConvertible {
  /// Name of the spec, without parameters and environment, since the environment holds secrets.
  public var description: String { "Pipeline(\(name.printable))" }

  private var specs: [Spec]
  private let options: RunOptions

  private var name: String { specs.map(\.name).joined(separator: ", ") }

  private init(_ specs: [Spec], _ parameters: [String: String], _ environment: [String: String]) {
    self.specs = specs
    var options = RunOptions()
    options.parameters = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    options.environment = Environment(environment)
    self.options = options
  }

  /// Reads a spec file, without a request.
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
    self.init([try Spec(path: path)], parameters, environment)
  }

  /// Reads the spec file of a URL such as `file:///etc/coins.yaml` or `Bundle.module.url(forResource:)`.
  ///
  /// - Throws: `SpecError`, also for a URL that is not of a file.
  public init(
    contentsOf url: URL, parameters: [String: String] = [:],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    guard url.isFileURL else {
      throw SpecError(messages: [
        "'\(url.absoluteString.printable)' is not the URL of a file: read it, and give its text"
      ])
    }
    try self.init(contentsOf: url.path, parameters: parameters, environment: environment)
  }

  /// Reads a spec from its text, JSON or the plain part of YAML.
  ///
  /// - Parameters:
  ///   - spec: the text.
  ///   - name: name of the spec for messages.
  ///   - parameters: values for the spec's `params`.
  ///   - environment: variables for `${env.NAME}`.
  /// - Throws: `SpecError` with every error of the spec.
  public init(
    spec: String, name: String = "spec", parameters: [String: String] = [:],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    self.init([try Spec(bytes: Array(spec.utf8), name: name)], parameters, environment)
  }

  /// Reads a spec from data in UTF-8, as `init(spec:name:parameters:environment:)` does from text.
  public init(
    spec: Data, name: String = "spec", parameters: [String: String] = [:],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    self.init([try Spec(bytes: Array(spec), name: name)], parameters, environment)
  }

  /// Names of the streams of a spec that has several outputs, in the file's order; empty for one output.
  public var streams: [String] { specs.flatMap(\.streams).map(\.name) }

  /// Returns a pipeline of one stream, which also runs the streams that it reads.
  ///
  /// - Throws: `SpecError` if the spec has no such stream.
  public func stream(_ name: String) throws -> Pipeline {
    var pipeline = self
    pipeline.specs = try specs.map { try $0.single(named: [name]) }
    return pipeline
  }

  /// Returns the records, decoded one after the other as they are fetched.
  ///
  /// Each iteration is a separate run. If the first job reads records and has no `each`, they come from the process's
  /// standard input. Only one iteration in a process can read that. To give the job records, use
  /// `run(_:input:encoder:)`.
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
    Records(description: name.printable, decoder: decoder) { run() }
  }

  /// Returns a run with options, which begins when its records are asked for.
  public func run(_ options: PipelineOptions = PipelineOptions()) -> PipelineRun {
    PipelineRun(specs, self.options, options, nil)
  }

  /// Returns a run whose first job reads the records of a sequence.
  ///
  /// Each element is encoded as one JSON value. The sequence is iterated only as far as its records are read.
  public func run<Input: AsyncSequence & Sendable>(
    _ options: PipelineOptions = PipelineOptions(), input: Input, encoder: JSONEncoder = JSONEncoder()
  ) -> PipelineRun where Input.Element: Encodable {
    PipelineRun(
      specs, self.options, options, RecordFeed(input) { Array(try JSONValue(parsing: Array(encoder.encode($0))).bytes) }
    )
  }

  /// Returns a run whose first job reads the elements of an array, each encoded as one JSON value.
  public func run<Element: Encodable & Sendable>(
    _ options: PipelineOptions = PipelineOptions(), input: [Element], encoder: JSONEncoder = JSONEncoder()
  ) -> PipelineRun {
    run(options, input: AsyncElements(elements: input), encoder: encoder)
  }

  /// Returns a run whose first job reads an array of records, with their own bytes.
  public func run(_ options: PipelineOptions = PipelineOptions(), input: [RawRecord]) -> PipelineRun {
    run(options, input: AsyncElements(elements: input))
  }

  /// Returns a run whose first job reads the records of another pipeline, with their own bytes.
  public func run<Input: AsyncSequence & Sendable>(
    _ options: PipelineOptions = PipelineOptions(), input: Input
  ) -> PipelineRun where Input.Element == RawRecord {
    PipelineRun(specs, self.options, options, RecordFeed(input) { $0.bytes })
  }
}

// A mirror would show the environment, also if the pipeline is a part of another value.
extension Pipeline: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
