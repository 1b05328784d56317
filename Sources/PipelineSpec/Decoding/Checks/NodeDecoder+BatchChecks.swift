// Checks of a whole job with `batch`, whose requests are for many input records.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  mutating func checkBatch(_ draft: JobDraft) {
    guard draft.own["download"] == nil else { return }
    guard let key = draft.own["batch"] else {
      for hole in draft.job.templates.flatMap(\.holes) where hole.root == .records {
        let advice = "add 'batch: 100', the most input records of a request, or read 'record'"
        refuse("'records' without 'batch'", at: range(of: hole), advice: advice)
      }
      return
    }
    let request = Set(draft.job.requestTemplates.map(\.place))
    for hole in draft.job.templates.filter({ !request.contains($0.place) }).flatMap(\.holes)
    where hole.root == .records {
      refuse("'records' can't be read here", at: range(of: hole), advice: TemplateSite.ofRecords)
    }
    checkSingle(draft)
    checkLists(draft.job)
    if let hole = draft.job.endpoint?.onlyHole, hole.root == .records {
      let advice = "put their values into a segment of 'endpoint', or into 'query'"
      refuse("an endpoint from many records", at: range(of: hole), advice: advice)
    }
    if let attach = draft.own["attach"], draft.own["match"] == nil {
      let advice = "add 'match: { fetched: input }', which says to which input record a fetched one belongs"
      refuse("'attach' beside 'batch' without 'match'", at: attach.keyRange, advice: advice)
    }
    if draft.isWhole, !draft.job.requestTemplates.contains(where: { $0.readsInput }) {
      let advice = "name their values: 'query: { ids: \"${records.id:,}\" }'"
      refuse("'batch' without 'records' in the request", at: key.keyRange, advice: advice)
    }
  }

  /// Refuses templates that read one input record, since a request of `batch` has many.
  private mutating func checkSingle(_ draft: JobDraft) {
    for hole in draft.job.fetchTemplates.flatMap(\.holes) where hole.root == .record {
      let advice = "a request of 'batch' is for many input records: '${records.id:,}' joins their values"
      refuse("'record' can't be read here", at: range(of: hole), advice: advice)
    }
    guard draft.own["match"] == nil else { return }
    for hole in draft.job.set.flatMap(\.value.templates).flatMap(\.holes) where hole.root == .record {
      let advice = "what a batch fetches is of no one input record; 'match' and 'attach' join them"
      refuse("'record' can't be read here", at: range(of: hole), advice: advice)
    }
  }

  /// Refuses a list inside a text.
  private mutating func checkLists(_ job: Job) {
    let wholes = (job.query + (job.form ?? [])).flatMap(\.values) + [job.body].compactMap { $0 }
    let whole = Set(wholes.flatMap(\.templates).compactMap(\.onlyHole).map(\.place))
    for hole in job.requestTemplates.flatMap(\.holes)
    where hole.root == .records && hole.separator == nil && !whole.contains(hole.place) {
      let advice = "join its values, for example by commas: '${records.id:,}'"
      refuse("a list in a text", at: range(of: hole), advice: advice)
    }
  }
}
