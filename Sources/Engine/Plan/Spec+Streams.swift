// The streams that a command takes of a spec.

import Diagnostics
package import PipelineSpec

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
    var ordered: [Stream] = []
    for stream in taken {
      for before in line(of: stream) where taken.contains(where: { $0.name == before.name }) {
        if !ordered.contains(where: { $0.name == before.name }) { ordered.append(before) }
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
