// The contents of a spec file as values. Nothing here has been evaluated: no parameter, no environment, no clock.

package import Diagnostics
package import JSONText

/// Spec file: the parameters that the command line may set, and the jobs in order, or the jobs of several streams.
package struct Spec: Sendable {
  /// The file's name as on the command line; `<stdin>` for `-`.
  package let name: String
  package let source: SourceText
  package let parameters: [Parameter]
  /// At least one job, with the defaults of the file's top merged in; those of a file of streams in the file's order.
  package var jobs: [Job]
  /// The streams of a file that has several outputs, in the file's order; empty for one output.
  package private(set) var streams: [Stream]
  /// True if `retry` is beside `steps`.
  let sharesRetry: Bool
  /// Positions of the parameters' names.
  let parameterPositions: [String: SourcePosition]

  init(
    name: String, source: SourceText, parameters: [Parameter], jobs: [Job], streams: [Stream] = [], sharesRetry: Bool,
    parameterPositions: [String: SourcePosition]
  ) {
    self.name = name
    self.source = source
    self.parameters = parameters
    self.jobs = jobs
    self.streams = streams
    self.sharesRetry = sharesRetry
    self.parameterPositions = parameterPositions
  }

  /// An entry of `params`.
  package struct Parameter: Hashable, Sendable {
    package let name: String
    /// Default: a string, number or boolean, or a list of these; nil if the parameter is required (`null` in the spec).
    package let standard: JSONValue?
    /// Spelling of the default in the spec.
    package let spelling: String
    /// Default that reads the environment or the clock, in place of a constant.
    package let template: Template?

    /// True if the parameter may be given several times.
    package var isList: Bool { standard?.kind == .array }

    package init(name: String, standard: JSONValue?, spelling: String, template: Template? = nil) {
      self.template = template
      self.name = name
      self.standard = standard
      self.spelling = spelling
    }
  }
}

extension Spec {
  /// An output of a file with several: its jobs in order, the last of which gives the records.
  package struct Stream: Sendable {
    package let name: String
    /// Name of the stream whose records the first job reads; nil if it reads none.
    package let source: String?
    package let jobs: [Job]
    let position: SourcePosition
  }

  /// Returns a stream, and before it the streams that it reads: the first of them reads none.
  package func line(of stream: Stream) -> [Stream] {
    var line = [stream]
    while let name = line[0].source, let source = streams.first(where: { $0.name == name }) {
      line.insert(source, at: 0)
    }
    return line
  }

  /// Returns the spec of one stream, whose first job reads its input from elsewhere if the stream reads another.
  package func only(_ stream: Stream) -> Spec {
    var spec = self
    (spec.streams, spec.jobs) = ([], stream.jobs)
    if let source = stream.source, stream.jobs.first?.each != nil {
      // A run's first `each` makes all input records. After a job that gives its input unchanged, it expands each of them.
      spec.jobs.insert(Job(name: source, position: stream.position), at: 0)
    }
    return spec
  }

  /// Returns the spec of one stream after the jobs of all streams that it reads, which save no marks.
  package func alone(_ stream: Stream) -> Spec {
    var spec = self
    spec.streams = []
    let sources = line(of: stream).dropLast().flatMap(\.jobs)
    spec.jobs =
      sources.map { job in
        var job = job
        job.savesMark = false
        return job
      } + stream.jobs
    return spec
  }
}
