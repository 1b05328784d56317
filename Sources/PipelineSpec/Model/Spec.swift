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
  }
}

extension Spec {
  /// An output of a file with several: its jobs in order, the last of which gives the records.
  package struct Stream: Sendable {
    package let name: String
    /// Name of the stream whose records the first job reads; nil if it reads none.
    package let source: String?
    package private(set) var jobs: [Job]
    let position: SourcePosition

    /// The stream for others that read it: all its records, of which it saves no mark.
    package var asInput: Stream {
      var stream = self
      for index in jobs.indices { stream.jobs[index].savesMark = false }
      return stream
    }
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
    spec.jobs = line(of: stream).dropLast().flatMap { $0.asInput.jobs } + stream.jobs
    return spec
  }
}

// MARK: `NAME=VALUE` on the command line is text, unless the parameter's default is a number or a boolean

extension Spec.Parameter {
  /// Returns the value of the texts from the command line: that of the last text, or for a list that of all.
  ///
  /// An empty text is no element, so that `ids=` empties a list. Otherwise an empty parameter is missing, whatever its
  /// default is.
  ///
  /// - Throws: `CommandLineParameterError` if the default is a number or a boolean and the text is not.
  package func value(of texts: [String]) throws(CommandLineParameterError) -> JSONValue {
    guard isList else { return try value(of: texts.last ?? "", like: standard?.kind) }
    let kind = standard?.elements.first { _ in true }?.kind
    var elements: [JSONValue] = []
    for text in texts where !text.isEmpty { elements.append(try value(of: text, like: kind)) }
    return JSONValue(elements: elements)
  }

  private func value(of text: String, like kind: JSONKind?) throws(CommandLineParameterError) -> JSONValue {
    switch kind {
    case _ where text.isEmpty:
      return JSONValue(text)
    case .number:
      guard let value = try? JSONValue(parsing: Array(text.utf8)), value.kind == .number, value.text == text else {
        throw CommandLineParameterError(
          message:
            "parameter '\(name)' takes a number, like its default\(isList ? "" : " \(spelling)"), not '\(text.printable)'"
        )
      }
      return value
    case .boolean:
      guard text == "true" || text == "false" else {
        throw CommandLineParameterError(
          message: "parameter '\(name)' takes true or false, like its default, not '\(text.printable)'")
      }
      return JSONValue(text == "true")
    default:
      return JSONValue(text)
    }
  }
}

/// Error of a parameter's value on the command line.
///
/// It has a message but no position, since the command line has none.
package struct CommandLineParameterError: Error, Hashable, Sendable {
  package let message: String
}
