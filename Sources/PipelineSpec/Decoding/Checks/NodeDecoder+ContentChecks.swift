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

  /// Refuses to drop a member that `model` needs.
  mutating func checkDrop(_ draft: JobDraft) {
    guard let key = draft.own["drop"] ?? draft.inherited["drop"], case .list(let nodes) = key.value.content,
      nodes.count == draft.job.drop.count
    else { return }
    for (path, node) in zip(draft.job.drop, nodes) {
      // `drop` has the server's names, `model` those that `decode` makes.
      guard draft.job.decode.keys == nil, draft.job.model?.needs(path.steps[...]) == true else { continue }
      refuse(
        "'drop' removes '\(node.spelling.printable)', which 'model' needs", at: node.range,
        advice: "take it out of one of them: 'model' leaves out the members that it doesn't name")
    }
  }

  /// Refuses a member that `decode` writes as one type, and `model` wants to be of another.
  mutating func checkDecode(_ draft: JobDraft) {
    guard let model = draft.job.model, let key = draft.own["decode"] ?? draft.inherited["decode"] else { return }
    let read = entries(of: key.value) ?? []
    for member in draft.job.decode.members {
      let map = read.first { $0.key == member.reading.key }.flatMap { entries(of: $0.value) } ?? []
      let entry = map.first { JSONPath(member: $0.key) == member.path }
      let names = member.path.steps.map(\.name)
      if let kind = model.kind(at: names[...]) {
        guard !member.reading.canBe(kind) else { continue }
        refuse(
          "'\(member.reading.key)' reads it as \(member.reading.word), 'model' says \(kind.word)",
          at: entry?.value.range ?? key.value.range, advice: "make both the same")
      } else if draft.job.decode.keys == nil,
        let length = names.indices.first(where: { !model.kind(at: names[...$0]).isMapOrAny })
      {
        let kind = model.kind(at: names[...length])
        let outer = names[...length].joined(separator: "/").printable
        refuse(
          kind.map { "'\(outer)' is \($0.word) in 'model', and has no members" } ?? "'\(outer)' is not in 'model'",
          at: entry?.keyRange ?? key.value.range,
          advice: kind == nil
            ? "add it to 'model', or take it out here" : "'\(member.reading.key)' leads through objects only")
      }
    }
  }
}

extension Decode.Reading {
  /// Reports that what is written can be of a type of `model`.
  fileprivate func canBe(_ kind: Model.Kind) -> Bool {
    switch (self, kind) {
    case (_, .any), (.date, .string), (.date, .date), (.type(.boolean), .boolean): true
    case (.type(.string), .string), (.type(.string), .date), (.type(.string), .url): true
    case (.type(.number), .number), (.type(.number), .integer): true
    case (.type(.integer), .number), (.type(.integer), .integer): true
    default: false
    }
  }

  fileprivate var word: String {
    switch self {
    case .date: "date"
    case .type(let type): type.rawValue
    }
  }
}

extension Model.Kind? {
  /// True if a member of this type may have members.
  fileprivate var isMapOrAny: Bool {
    switch self {
    case .map, .any: true
    default: false
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
