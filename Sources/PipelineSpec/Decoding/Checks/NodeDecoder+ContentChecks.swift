// Checks `empty` and `drop` against the keys that they contradict.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  /// Refuses a status that means that there are no records, and that is retried because they may come later.
  ///
  /// With a condition, the body says that there are none.
  mutating func checkEmpty(_ draft: JobDraft) {
    guard let empty = draft.job.empty, empty.condition == nil, draft.retriesStatuses,
      let key = draft.own["empty"] ?? draft.inherited["empty"]
    else { return }
    let retried = draft.job.retry.statuses ?? Job.Retry.standardStatuses
    let list = entries(of: key.value)?.first { $0.key == "status" }?.value ?? key.value
    guard case .list(let nodes) = list.content else { return }
    for (status, node) in zip(empty.statuses, nodes) where retried.contains(status) {
      refuse(
        "\(status) is retried", at: node.range,
        advice: "the records may be there: leave it out, add 'when', or list the 'statuses' of 'retry' without it")
    }
  }

  /// Refuses to drop a member that `model` needs, and `*`, which is a plain name here.
  mutating func checkDrop(_ draft: JobDraft) {
    guard let key = draft.own["drop"] ?? draft.inherited["drop"], case .list(let nodes) = key.value.content,
      nodes.count == draft.job.drop.count
    else { return }
    for (path, node) in zip(draft.job.drop, nodes) {
      if path.steps.count > 1, path.steps.contains(where: { $0.name == "*" }) {
        refuse(
          "'*' can't stand in 'drop'", at: node.range,
          advice: "'drop' leads through objects only; 'model' names what the elements of a list keep")
      }
      // `drop` has the server's names, `model` those that `decode` makes.
      guard draft.job.decode.keys == nil, draft.job.model?.needs(path.steps[...]) == true else { continue }
      refuse(
        "'drop' removes '\(node.spelling.printable)', which 'model' needs", at: node.range,
        advice: "take it out of one of them: 'model' leaves out the members that it doesn't name")
    }
  }
}

extension JobDraft {
  /// True if the job's requests are repeated after a status that is retried.
  fileprivate var retriesStatuses: Bool {
    job.retry.attempts != 1 && (own["retry"] != nil || ["GET", "HEAD"].contains(job.sentMethod))
  }
}

extension Model {
  /// Reports that a record without the member at the end of the path does not match.
  fileprivate func needs(_ steps: ArraySlice<JSONStep>) -> Bool {
    guard let step = steps.first, let member = members.first(where: { $0.name == step.name }), !member.isOptional else {
      return false
    }
    if steps.count == 1 { return true }
    return if case .map(let model) = member.kind { model.needs(steps.dropFirst()) } else { false }
  }
}
