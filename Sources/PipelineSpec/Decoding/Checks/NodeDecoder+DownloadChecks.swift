// Checks of a whole job with `download`.

internal import Diagnostics
import YAMLText

extension NodeDecoder {
  /// Keys about pages, or about the request for a page; a file is no page.
  static let ofPages: Set = [
    "method", "body", "form", "text", "read", "unpack", "contentIdentifier", "absent", "empty", "key", "columns",
    "failure", "where", "drop", "model", "decode", "pages", "least", "ignore", "attach", "match", "batch", "count",
    "unique",
    "incremental",
    "poll",
  ]

  mutating func checkDownload(_ draft: JobDraft) {
    guard let download = draft.own["download"] else { return }
    for key in draft.own.values.sorted(by: { $0.keyRange.lowerBound < $1.keyRange.lowerBound }) {
      if key.key == "endpoint" {
        refuse("'endpoint' beside 'download'", at: key.keyRange, advice: "a file's URL is 'url' in 'download'")
      } else if Self.ofPages.contains(key.key) {
        let advice = "what it saves is a file, whatever is in it; fetch records in a step of their own"
        refuse("'\(key.key)' beside 'download'", at: key.keyRange, advice: advice)
      }
    }
    guard draft.own["endpoint"] == nil else { return }
    let url = entries(of: download.value)?.first { $0.key == "url" }
    if let url, let endpoint = draft.job.endpoint { check(endpoint, of: draft, url.value, named: "url") }
  }
}
