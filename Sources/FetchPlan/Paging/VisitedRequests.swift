import JSONText
import PipelineSpec
import Wire

/// The requests that a stream has made, told apart by their fingerprints, so that their size does not matter.
struct VisitedRequests: Sendable {
  /// Fingerprint of method, URL and body, and the page that it was.
  private var pages: [Int: Int] = [:]
  /// Those that were made so, and not only led to by a redirect.
  private var made: Set<Int> = []
  /// What the last page added: its request, and what answered it, if that is another one.
  private(set) var added: [Int] = []

  /// - Parameter url: what answered, which may be another URL after redirects: that one was used too.
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
