// Checks a job's request body: it has one kind, which its Content-Type does not contradict.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  static let bodyKinds = ["body", "form", "text"]

  mutating func checkBody(_ draft: JobDraft) {
    let found = Self.bodyKinds.compactMap { draft.own[$0] }
    for entry in found.dropFirst() {
      refuse(
        "'\(entry.key)' beside '\(found[0].key)'", at: entry.keyRange,
        advice: "leave one of them out: a request has one body")
    }
    guard found.count == 1 else { return }
    checkContentType(draft, found[0])
  }

  /// Refuses a Content-Type that contradicts the kind of the body.
  private mutating func checkContentType(_ draft: JobDraft, _ body: Node.Entry) {
    guard let header = draft.job.headers.first(where: { $0.name.lowercased() == "content-type" }),
      let literal = header.value.literal, let headers = draft.own["headers"] ?? draft.inherited["headers"]
    else { return }
    let range = entries(of: headers.value)?.last { $0.key.lowercased() == "content-type" }?.value.range
    let type = literal.mediaType
    if let advice = Self.contradiction(of: type, to: body.key) {
      let message = "'\(body.key)' is not sent as '\(type.printable)'"
      refuse(message, at: range ?? headers.keyRange, advice: advice)
    } else if type.hasSuffix("json"), let charset = literal.charset, !Self.charsets.contains(charset) {
      refuse("JSON is not sent in '\(charset.printable)'", at: range ?? headers.keyRange, advice: "leave 'charset' out")
    }
  }

  /// Charsets that UTF-8 may have as its name, or that are a part of it.
  private static let charsets: Set = ["utf-8", "utf8", "utf_8", "us-ascii", "ascii"]

  /// Returns a remedy if a kind of body can't have this type; nil if it can.
  private static func contradiction(of type: String, to kind: String) -> String? {
    switch kind {
    case "form": type == form ? nil : "leave the header out: 'form' is sent as '\(form)'"
    case "body" where type == form: "write 'form' in place of 'body'"
    case "body" where type == "application/graphql":
      "leave the header out, or write the query itself, as 'text'"
    case "body" where isOtherThanJSON(type):
      "leave the header out: 'body' is sent as JSON; other texts are 'text'"
    default: nil
    }
  }

  /// True for a type that is certainly no JSON; some APIs want JSON under types of their own, or as `text/plain`.
  private static func isOtherThanJSON(_ type: String) -> Bool {
    ["multipart/", "image/", "audio/", "video/"].contains { type.hasPrefix($0) } || type.hasSuffix("xml")
      || ["text/csv", "text/html", "application/octet-stream"].contains(type)
  }

  private static let form = "application/x-www-form-urlencoded"

  /// Checks that a pager's item of `form` is not written as a path in `body`.
  mutating func checkFormItem(_ path: JSONPath, written word: String, at range: Range<Int>) {
    guard word == "body", let first = path.steps.first else { return }
    refuse("'body' of a pager in a job with 'form'", at: range, advice: "write '{ form: \(first.name.printable) }'")
  }
}

extension String {
  /// The type of a `Content-Type`, in lower case, without parameters (RFC 9110 §8.3.1).
  fileprivate var mediaType: String {
    let type = lowercased().prefix { $0 != ";" }
    return type.split(whereSeparator: \.isWhitespace).joined()
  }

  /// The `charset` of a `Content-Type`, in lower case (RFC 9110 §8.3.2).
  fileprivate var charset: String? {
    let parameters = lowercased().split(separator: ";").dropFirst().map { $0.split(separator: "=", maxSplits: 1) }
    let charset = parameters.first { $0.first?.filter { !$0.isWhitespace } == "charset" && $0.count == 2 }
    return charset.map { $0[1].filter { !$0.isWhitespace && !"\"'".contains($0) } }
  }
}

// Checks of a whole job with `batch`, whose requests are for many input records.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  mutating func checkBatch(_ draft: JobDraft) {
    guard draft.own["download"] == nil else { return }
    guard let key = draft.own["batch"] else {
      for hole in draft.job.templates.flatMap(\.holes) where hole.root == .inputs {
        let advice = "add 'batch: 100', the most input records of a request, or read 'input'"
        refuse("'inputs' without 'batch'", at: range(of: hole), advice: advice)
      }
      return
    }
    let request = Set(draft.job.requestTemplates.map(\.position))
    for hole in draft.job.templates.filter({ !request.contains($0.position) }).flatMap(\.holes)
    where hole.root == .inputs {
      refuse("'inputs' can't be read here", at: range(of: hole), advice: TemplateSite.ofInputs)
    }
    checkSingle(draft)
    checkLists(draft.job)
    if let hole = draft.job.endpoint?.onlyHole, hole.root == .inputs {
      let advice = "put their values into a segment of 'endpoint', or into 'query'"
      refuse("an endpoint from many records", at: range(of: hole), advice: advice)
    }
    if let attach = draft.own["attach"], draft.own["match"] == nil {
      let advice = "add 'match: { fetched: input }', which says to which input record a fetched one belongs"
      refuse("'attach' beside 'batch' without 'match'", at: attach.keyRange, advice: advice)
    }
    if draft.isWhole, !draft.job.requestTemplates.contains(where: { $0.readsInput }) {
      let advice = "name their values: 'query: { ids: \"${inputs.id:,}\" }'"
      refuse("'batch' without 'inputs' in the request", at: key.keyRange, advice: advice)
    }
  }

  /// Refuses templates that read one input record, since a request of `batch` has many.
  private mutating func checkSingle(_ draft: JobDraft) {
    for hole in draft.job.fetchTemplates.flatMap(\.holes) where hole.root == .input {
      let advice = "a request of 'batch' is for many input records: '${inputs.id:,}' joins their values"
      refuse("'input' can't be read here", at: range(of: hole), advice: advice)
    }
    checkJoinedSet(draft)
  }

  /// Refuses a list inside a text.
  private mutating func checkLists(_ job: Job) {
    let wholes = (job.query + (job.form ?? [])).flatMap(\.values) + [job.body].compactMap { $0 }
    let whole = Set(wholes.flatMap(\.templates).compactMap(\.onlyHole).map(\.position))
    for hole in job.requestTemplates.flatMap(\.holes)
    where hole.root == .inputs && hole.separator == nil && !whole.contains(hole.position) {
      let advice = "join its values, for example by commas: '${inputs.id:,}'"
      refuse("a list in a text", at: range(of: hole), advice: advice)
    }
  }
}
