// What only a whole job without `endpoint` can be wrong about: one that makes no request, and only sets members.

internal import Diagnostics
import YAMLText

extension NodeDecoder {
  /// Keys that say nothing of requests, of their pages, or of what was fetched.
  private static let ofRecords: Set = ["name", "each", "set", "onError", "bodyLimit"]

  /// A job that makes no request has something to set, and nothing that is about requests: of what stands beside `steps`
  /// too, which holds for the steps that make some.
  mutating func settleWithoutEndpoint(_ draft: inout JobDraft) {
    guard draft.own["set"] != nil else {
      refuse("no 'endpoint'", at: draft.range, advice: "add 'endpoint: ' with the URL to fetch")
      return
    }
    for key in draft.own.values.sorted(by: { $0.keyRange.lowerBound < $1.keyRange.lowerBound })
    where SpecKeys.job.contains(where: { $0.name == key.key }) && !Self.ofRecords.contains(key.key) {
      let advice = "a job that only sets members makes no request; add 'endpoint', or leave '\(key.key)' out"
      refuse("'\(key.key)' without 'endpoint'", at: key.keyRange, advice: advice)
      draft.own[key.key] = nil
    }
    draft.inherited = draft.inherited.filter { Self.ofRecords.contains($0.key) }
    let read = draft.job
    draft.job = Job(name: read.name, place: read.place)
    (draft.job.each, draft.job.set) = (read.each, read.set)
    (draft.job.onError, draft.job.bodyLimit) = (read.onError, read.bodyLimit)
  }
}
