// Information about a spec without running it.

package import Diagnostics
package import JSONText
package import PipelineSpec
import YAMLText

extension Spec {
  /// The environment variables that the spec names, each with the origins that get its value, as the spec spells them.
  package var environmentDestinations: [(name: String, origins: [String])] {
    var origins: [String: [String]] = [:]
    for (names, destination) in jobs.flatMap(\.destinations) {
      for name in names where origins[name]?.contains(destination) != true {
        origins[name, default: []].append(destination)
      }
    }
    return origins.sorted { $0.key < $1.key }.map { (name: $0.key, origins: $0.value) }
  }

  /// Returns the parsed spec text as one line of JSON.
  ///
  /// - Throws: `SpecError` with every error of the spec, `InputError`.
  package static func json(of input: Input) throws -> [UInt8] {
    do {
      let source = SourceText(name: input.name, bytes: try input.readStart(limit: SourceText.specSizeLimit))
      return try Node(reading: source).json.line
    } catch let mistakes as DiagnosticList {
      throw SpecError(mistakes)
    }
  }

  /// Returns a value that is spelled as in YAML; nil if the text is none.
  package static func json(ofValue text: String) -> JSONValue? {
    (try? Node(reading: SourceText(name: "", bytes: Array(text.utf8))))?.json
  }
}

extension Job {
  /// Groups of environment variables with the destination of their values.
  fileprivate var destinations: [(names: Set<String>, origin: String)] {
    templateDestinations.map { (environmentNames(in: $0.templates), $0.origin) }
  }

  private var templateDestinations: [(templates: [Template], origin: String)] {
    let set = set.flatMap(\.value.templates)
    let names = download?.templates ?? []
    // What a condition or a limit reads goes nowhere, and neither does a key that only signs.
    let stays = fixed.map(\.template) + [tls?.key, tls?.ca].compactMap { $0 }
    let known = Set((auth?.templates ?? []) + set + names + stays)
    let others = templates.filter { !known.contains($0) }
    let kept = [(set, "the records"), (names, "names of files")]
    guard let endpoint else { return [(others, "the records")] + kept }
    let home = auth?.base ?? endpoint
    let tokens = (auth?.tokenRequests ?? []).map { ($0.sent, destination(of: $0.url)) }
    return [(others, destination(of: endpoint)), (auth?.ownTemplates ?? [], destination(of: home))] + tokens + kept
  }

  /// Returns the origin of a URL, as far as the spec spells it.
  private func destination(of endpoint: Template) -> String {
    let endpoint = endpoint.spelling
    let isAbsolute = endpoint.prefix { !"/?#".contains($0) }.hasSuffix(":")
    let base = base?.spelling ?? ""
    let url =
      endpoint.hasPrefix("//")
      ? base.prefix { $0 != ":" } + ":" + endpoint : isAbsolute || base.isEmpty ? endpoint : base
    if url == base, let hole = self.base?.originHole { return "the origin of \(hole.spelling)" }
    // A template is spelled with ':', '?' and '#' of its own, so that this text is no URL yet.
    guard let scheme = url.firstRange(of: "://") else { return url }
    return String(url[..<scheme.upperBound] + url[scheme.upperBound...].prefix { !"/?#".contains($0) })
  }
}

extension SpecError {
  package init(_ mistakes: DiagnosticList) {
    messages = mistakes.all.map { $0.rendered(in: mistakes.source) }
  }
}

extension [Spec] {
  /// Returns the specs from a named job on, which reads records from standard input.
  ///
  /// - Throws: `SpecError` if there is no such job, or if it reads no records.
  package func starting(at name: String) throws(SpecError) -> [Spec] {
    let found = enumerated().flatMap { index, spec in
      spec.jobs.indices.filter { spec.jobs[$0].name == name }.map { (spec: index, job: $0) }
    }
    guard let first = found.first, found.count == 1 else {
      let problem = found.isEmpty ? missing(name) : "several specs have a step '\(name.printable)': rename one"
      throw SpecError(messages: [problem])
    }
    var spec = self[first.spec]
    guard spec.jobs[first.job].readsRecords else {
      throw SpecError(messages: [
        "\(spec.name): the step '\(name.printable)' reads no records, so it can't start from any: run without --from, or name another"
      ])
    }
    spec.jobs.removeFirst(first.job)
    spec.jobs[0].eachBefore = spec.jobs[0].each
    spec.jobs[0].each = nil
    return [spec] + self[(first.spec + 1)...]
  }

  private func missing(_ name: String) -> String {
    let names = flatMap(\.jobs).map(\.name)
    let all = names.map { "'\($0.printable)'" }.joined(separator: ", ")
    let advice = nearest(to: name, in: names).map { "did you mean '\($0.printable)'?" }
    return "no step is called '\(name.printable)'; \(advice ?? "there are \(all)")"
  }
}

extension Spec {
  /// Reads a spec file; `-` is standard input.
  ///
  /// - Throws: `SpecError` with every error of the spec.
  package init(path: String, input: Input? = nil) throws {
    let (bytes, name): ([UInt8], String)
    do {
      let source = path == "-" ? input ?? Input(descriptor: 0) : try Input(path: path)
      (bytes, name) = (try source.readStart(limit: SourceText.specSizeLimit), source.name)
    } catch {
      throw SpecError(messages: [error.problem])
    }
    try self.init(bytes: bytes, name: name)
  }

  /// - Throws: `SpecError` with every error of the spec.
  package init(bytes: [UInt8], name: String) throws {
    do {
      try self.init(reading: SourceText(name: name, bytes: bytes))
    } catch {
      throw SpecError(error)
    }
  }
}

// MARK: The streams that a command takes of a spec

extension Spec {
  /// Returns streams by their names, all for none, in the order in which they run: each after the one that it reads.
  ///
  /// - Throws: `SpecError` if there is no such stream.
  package func streams(named names: [String]) throws(SpecError) -> [Stream] {
    let all = streams.map(\.name)
    for name in names where !all.contains(name) {
      let near = nearest(to: name, in: all).map { "did you mean '\($0)'?" }
      let advice =
        near ?? (all.isEmpty ? "the file has no 'streams': leave --stream out" : "there are \(listOfStreams)")
      throw SpecError(messages: ["\(self.name): no stream is called '\(name.printable)'; \(advice)"])
    }
    let taken = streams.filter { names.isEmpty || names.contains($0.name) }
    return withSources(taken).filter { stream in taken.contains { $0.name == stream.name } }
  }

  /// Returns streams and all that they read, each after the one that it reads.
  package func withSources(_ taken: [Stream]) -> [Stream] {
    var ordered: [Stream] = []
    for stream in taken {
      for before in line(of: stream) where !ordered.contains(where: { $0.name == before.name }) {
        ordered.append(before)
      }
    }
    return ordered
  }

  /// Returns the spec, or that of its only stream of these names.
  ///
  /// - Throws: `SpecError` if there are several.
  package func single(named names: [String]) throws(SpecError) -> Spec {
    let taken = try streams(named: names)
    if streams.isEmpty { return self }
    guard taken.count == 1 else { throw SpecError(messages: [manyStreams]) }
    return alone(taken[0])
  }

  /// The error of a command that takes one stream.
  var manyStreams: String {
    "\(name): the file has the streams \(listOfStreams): name one with '--stream NAME'; a run writes all with '-o DIR/'"
  }

  private var listOfStreams: String { streams.map { "'\($0.name)'" }.joined(separator: ", ") }

  /// True if the first job of a run reads standard input.
  package var readsInput: Bool { streams.isEmpty && jobs.first?.readsInput == true }
}
