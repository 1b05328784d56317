// Checks of a whole job without `endpoint`, which makes no request and only changes its input records.

internal import Diagnostics
import YAMLText

extension NodeDecoder {
  /// Keys that are not about requests, pages or content.
  private static let ofRecords: Set = [
    "name", "each", "where", "drop", "decode", "model", "set", "onError", "bodyLimit", "unique",
  ]

  /// Checks that a job without `endpoint` has `set`, and removes everything about requests.
  ///
  /// Such defaults beside `steps` are removed too, since they apply to the steps that make requests.
  mutating func settleWithoutEndpoint(_ draft: inout JobDraft) {
    guard draft.own["set"] != nil else {
      let changes = ["where", "drop", "decode", "model"].contains { draft.own[$0] != nil }
      refuse(
        "no 'endpoint'", at: draft.range,
        advice: "add 'endpoint: ' with the URL to fetch"
          + (changes ? ", or 'set: {}' if the job only changes its input records" : ""))
      return
    }
    for key in draft.own.values.sorted(by: { $0.keyRange.lowerBound < $1.keyRange.lowerBound })
    where SpecKeys.job.contains(where: { $0.name == key.key }) && !Self.ofRecords.contains(key.key) {
      let advice = "a job without it only changes its input records; add 'endpoint', or leave '\(key.key)' out"
      refuse("'\(key.key)' without 'endpoint'", at: key.keyRange, advice: advice)
      draft.own[key.key] = nil
    }
    draft.inherited = draft.inherited.filter { Self.ofRecords.contains($0.key) }
    let read = draft.job
    draft.job = Job(name: read.name, place: read.place)
    (draft.job.each, draft.job.set) = (read.each, read.set)
    (draft.job.onError, draft.job.bodyLimit) = (read.onError, read.bodyLimit)
    (draft.job.filter, draft.job.drop) = (read.filter, read.drop)
    (draft.job.decode, draft.job.model) = (read.decode, read.model)
    draft.job.uniqueMembers = read.uniqueMembers
  }
}
