import JSONText
import PipelineSpec
import Wire

/// The requests that a stream has made, stored as fingerprints, so that their size does not matter.
struct VisitedRequests: Sendable {
  /// Number of the page for each fingerprint of method, URL, body and cursor.
  private var pages: [Int: Int] = [:]
  /// Fingerprints of requests that were made directly, not only reached by a redirect.
  private var made: Set<Int> = []
  /// Fingerprints that the last page added: its request, and the URL that answered if that differs.
  private(set) var added: [Int] = []

  /// Adds a request and the URL that answered it.
  ///
  /// - Parameter url: URL that answered, which may differ after redirects and then counts as used too.
  mutating func insert(_ request: Request, answeredBy url: Redactable, page: Int) {
    var used = [request.fingerprint]
    if url.text != request.url.text {
      var answered = request
      answered.url = url
      used.append(answered.fingerprint)
    }
    insert(used, page: page)
  }

  mutating func insert(_ fingerprints: [Int], page: Int) {
    added = fingerprints
    if let request = fingerprints.first { made.insert(request) }
    for fingerprint in fingerprints where pages[fingerprint] == nil { pages[fingerprint] = page }
  }

  func page(of request: Request) -> Int? { pages[request.fingerprint] }

  func hasMade(_ request: Request) -> Bool { made.contains(request.fingerprint) }
}
