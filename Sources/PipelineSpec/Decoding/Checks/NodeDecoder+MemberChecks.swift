// Checks that a step reads only members that the previous step can give, as far as the spec tells.

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  /// Refuses templates that need a member which the step before can't give.
  mutating func checkMembers(in drafts: [JobDraft]) {
    guard drafts.allSatisfy(\.isWhole) else { return }
    var given: [String]?
    for (index, draft) in drafts.enumerated() {
      let made = draft.job.each?.axes.flatMap(\.names) ?? []
      let input = index == 0 ? (made.isEmpty ? nil : made) : given.map { $0 + made }
      if index > 0, let input { checkMembers(in: draft.job, among: input, of: drafts[index - 1].job) }
      given = draft.job.outputMembers(input: input)
    }
  }

  private mutating func checkMembers(in job: Job, among names: [String], of giver: Job) {
    let known = Set(names)
    for hole in job.templates.filter(\.readsInput).flatMap(\.holes)
    where [.record, .records].contains(hole.root) && hole.isNeeded {
      guard let name = hole.path.steps.first?.name, !known.contains(name) else { continue }
      let near = suggestion(for: name, among: names).map { "did you mean '\($0.printable)'?" }
      let remedy = giver.model == nil ? "it has \(names.prefix(20).list)" : "add it to the 'model' of that step"
      refuse(
        "no record of '\(giver.name.printable)' has a member '\(name.printable)'", at: range(of: hole),
        advice: near ?? remedy)
    }
  }
}

extension Job {
  /// Returns the names that members of the job's output can have, or nil if the spec does not say them.
  ///
  /// - Parameter input: names of the members of its input records; nil if they are not known.
  fileprivate func outputMembers(input: [String]?) -> [String]? {
    let own = set.map(\.name)
    if download != nil { return input.map { $0 + ["file"] + own } }
    if endpoint == nil { return passedMembers(of: input).map { $0 + own } }
    let joined = [attach?.name, count].compactMap { $0 }
    if !joined.isEmpty { return input.map { $0 + joined + own } }
    return model.map { $0.members.map(\.name) + own }
  }

  /// Returns the names of the input records' members that a job without a request keeps.
  private func passedMembers(of input: [String]?) -> [String]? {
    if let model { return model.members.map(\.name) }
    guard decode.keys == nil else { return nil }
    let dropped = Set(drop.filter { $0.steps.count == 1 }.map { $0.steps[0].name })
    return input.map { $0.filter { !dropped.contains($0) } }
  }
}

extension Template.Hole {
  /// True if a missing value would be an error.
  var isNeeded: Bool { fallback == nil && !isOptional }
}

extension Sequence<String> {
  /// The names in quotes, with commas.
  fileprivate var list: String { map { "'\($0.printable)'" }.joined(separator: ", ") }
}
