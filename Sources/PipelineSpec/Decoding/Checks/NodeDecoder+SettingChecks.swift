// Checks of a whole job without `endpoint`, which makes no request and only sets members.

internal import Diagnostics
import YAMLText

extension NodeDecoder {
  /// Keys that are not about requests, pages or fetched records.
  private static let ofRecords: Set = ["name", "each", "set", "onError", "bodyLimit", "unique"]

  /// Checks that a job without `endpoint` has `set`, and removes everything about requests.
  ///
  /// It also removes such defaults beside `steps`, which apply to the steps that make requests.
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
    draft.job.uniqueMembers = read.uniqueMembers
  }
}
