// Pages by hand: what a server would have sent, and a pager that is stepped over it.

import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

/// A page as the server would have sent it.
struct Sent {
  var records = 1
  /// Number of elements at a `*`, if they are not the records.
  var items: Int?
  /// Number of records of its only element.
  var wrapped = 0
  /// Captured members by their pointers.
  var body: [String: String] = [:]
  var headers: [(String, String)] = []
  /// The header as it comes over the wire, for what is no text.
  var block: [UInt8] = []
  var status = 200
  /// Pages with the same letter have the same content.
  var content: String?
  /// Whether its content is `null`.
  var isNull = false
  var isOfObjects = true
  /// Hashes of its records, if they are known.
  var hashes: [UInt64] = []
  /// What its content is: `array`.
  var kind: String?
  /// Of captured paths that are missing: how many steps are there, and the names beside the missing one.
  var lacking: [String: (depth: Int, names: [String])] = [:]
  /// The content's name, if the page lacks it, and the names that it has.
  var missing: (name: String, names: [String])?
  var last: String?
  /// What answered, if not the request's own URL.
  var url: String?

  private var lastMembers: [String: [UInt8]] {
    let record = last.map { JSONValue(validated: Array($0.utf8)[...]) }
    return Dictionary(uniqueKeysWithValues: record?.members.map { ($0.name, Array($0.value.bytes)) } ?? [])
  }

  private var fields: HTTPFields {
    guard block.isEmpty else { return HTTPFields(FieldBlock(block, lines: [0..<block.count])) }
    return HTTPFields(headers.map { .init(name: $0.0, value: Redactable($0.1)) })
  }

  func pageFacts(number: Int, of request: Request?) -> PageFacts {
    PageFacts(
      number: number, status: status,
      url: url.map { Redactable($0) } ?? request?.url ?? Redactable("https://h/?page=\(number)"), fields: fields,
      body: PageBody(
        recordCount: records, itemCount: items, wrappedCount: wrapped, hasNullContent: isNull,
        contentKind: kind.flatMap { ContentKind(rawValue: $0) },
        missingContent: missing,
        contentHash: (content ?? "page \(number)").utf8.reduce(7) { $0 &* 31 &+ Int($1) },
        records: PageRecords(hashes), captured: body.mapValues { Array($0.utf8) }, lacking: lacking, last: lastMembers,
        outline: body.sorted { $0.key < $1.key }.map { path, text in
          EnvelopeMember(path: path.split(separator: ".").map(String.init), text: Array(text.utf8))
        }, isOfObjects: isOfObjects))
  }
}

/// A stream of pages: the requests that were made, how many pages came out, and how it ended.
struct Turned {
  var requests: [Request] = []
  var written = 0
  var end: Pager.End?
  var fault: PagingError?
  var doubt: String?
  /// The evidence that pages overlap.
  var overlap: String?

  var urls: [String] { requests.map(\.url.text) }
  /// What stands in the body, or the query behind the endpoint's own.
  var tails: [String] { requests.map { $0.body?.redacted ?? String($0.url.text.drop { $0 != "?" }) } }
}

func turn(_ plan: JobPlan, _ pages: [Sent], secrets: SecretStore = SecretStore()) throws -> Turned {
  let first = try plan.request(for: nil)
  var pager = plan.pager(first: first, record: nil, secrets: secrets)
  var turned = Turned()
  for (index, page) in pages.enumerated() {
    guard case .next(let request) = pager.step else { break }
    turned.requests.append(request)
    do throws(PagingError) {
      try pager.next(after: page.pageFacts(number: index + 1, of: request))
      turned.written += pager.endsRepeated ? 0 : 1
      turned.overlap = turned.overlap ?? pager.overlap?.reason
    } catch {
      turned.fault = error
      return turned
    }
  }
  turned.doubt = pager.doubt?.reason
  switch pager.step {
  case .next(let request): turned.requests.append(request)
  case .end(let end): turned.end = end
  case .fault(let fault): turned.fault = fault
  }
  return turned
}

/// A plan with pages of that kind.
func plan(
  _ kind: Pages.Kind, _ endpoint: Template = "https://h/x", body: TemplateValue? = nil,
  _ change: (inout Job) -> Void = { _ in }
) throws -> JobPlan {
  try makePlan(
    makeJob(endpoint) { job in
      job.body = body
      job.pages = Pages(kind: kind, position: job.position)
      change(&job)
    })
}
