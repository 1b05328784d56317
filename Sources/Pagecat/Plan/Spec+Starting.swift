// `--from`: the specs from a step on.

import Diagnostics
package import PipelineSpec

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
        "\(spec.name): the step '\(name.printable)' reads no records, so it can't start from any"
      ])
    }
    spec.jobs.removeFirst(first.job)
    spec.jobs[0].membersOfEach = (spec.jobs[0].each?.axes ?? []).flatMap(\.names)
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
