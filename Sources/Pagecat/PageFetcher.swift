// One request becomes one held page, or an error that says which page of which URL.

import Diagnostics
import Fetching
import JSONText
import Unwrapping
import Wire

/// What of a page is wanted besides its records.
struct PageWants: Sendable {
  var content: JSONPath
  var captures: [JSONPath]
  var shape: Shape?
  var hash: Bool
  var last: Bool
  var objects: Bool
  /// A status that ends the pages without being an error (`until: {status: 404}`).
  var endStatus: Int?
}

/// Fetches pages. The only place of the corridor that talks to an exchanger.
struct PageFetcher: Sendable {
  let exchanger: any Exchanger
  let report: Report
  let secrets: Secrets
  let environment: [String: String]

  /// - Parameter number: of the page in its stream, from 1.
  func fetch(_ request: Request, number: Int, wants: PageWants) async throws(NetworkingError) -> (Page, PageFacts) {
    // A URL from a record may hold a secret that the server had echoed.
    var request = request
    request.url.shown = secrets.masking(request.url.shown)
    let reply: Reply
    do {
      reply = try await exchanger.exchange(request)
    } catch {
      throw transportFailure(error, page: number)
    }
    let page = try await page(from: reply, number: number, wants: wants)
    let facts = PageFacts(
      number: number, status: reply.head.status, url: reply.head.url, fields: reply.head.fields,
      recordCount: page.recordCount, contentHash: page.contentHash, captured: page.captured, last: page.last)
    return (page, facts)
  }

  private func page(from reply: Reply, number: Int, wants: PageWants) async throws(NetworkingError) -> Page {
    switch reply.head.status {
    case 204, wants.endStatus:
      _ = await start(of: reply.body)
      return .empty
    case 200...299:
      return try await unwrap(reply, number: number, wants: wants)
    default:
      throw .invalidResponseStatus(
        status: reply.head.status, url: secrets.masking(reply.head.url.shown), page: number,
        body: await start(of: reply.body))
    }
  }

  private func unwrap(_ reply: Reply, number: Int, wants: PageWants) async throws(NetworkingError) -> Page {
    var unwrapper = Unwrapper(
      content: wants.content, captures: wants.captures, shape: wants.shape, wantsHash: wants.hash,
      wantsLast: wants.last, wantsObjects: wants.objects, spool: Spool(environment: environment))
    while let chunk = try await next(of: reply, page: number) {
      report.count { $0.bytes += chunk.count }
      do {
        try unwrapper.take(chunk)
      } catch {
        reply.body.cancel()
        throw contentError(error, reply.head, page: number)
      }
    }
    do {
      return try unwrapper.finish()
    } catch {
      throw contentError(error, reply.head, page: number)
    }
  }

  private func next(of reply: Reply, page: Int) async throws(NetworkingError) -> [UInt8]? {
    do {
      return try await reply.body.next()
    } catch {
      throw transportFailure(error, page: page)
    }
  }

  /// The first 512 bytes of a body, safe to print, for the message about its status. A body that breaks is cut short
  /// there: the status is what matters.
  private func start(of body: any ReplyBody) async -> String {
    var start: [UInt8] = []
    // More than is shown: a secret that is cut in half would not be found.
    while start.count < 8_192, let chunk = try? await body.next() { start += chunk }
    body.cancel()
    return quoted(secrets.masking(String(decoding: start.prefix(8_192), as: UTF8.self)))
  }

  private func transportFailure(_ fault: TransportFault, page: Int) -> NetworkingError {
    let reason = secrets.masking(fault.problem).printable
    return fault.kind == .badURL
      ? .invalidURL(url: secrets.masking(fault.url.shown), reason: reason)
      : .transportFailure(url: secrets.masking(fault.url.shown), page: page, reason: reason)
  }

  private func contentError(_ fault: ContentFault, _ head: ReplyHead, page: Int) -> NetworkingError {
    let url = secrets.masking(head.url.shown)
    switch fault {
    case .json(let fault):
      let reason = fault.rendered(hiding: secrets) + htmlHint(head, fault)
      return .invalidJSON(
        source: url, page: page, offset: fault.offset, line: fault.line, column: fault.column, reason: reason)
    case .missing(let content, let depth, let available, let kind):
      return .missingContentIdentifier(
        identifier: secrets.masking(identifier(content)).printable, source: url, page: page,
        reason: secrets.masking(missingReason(content, depth, available, kind)))
    case .decoding(let record, let keyPath, let expected, let found):
      return .decodingError(
        source: url, page: page, record: record, keyPath: secrets.masking(keyPath), expected: expected,
        found: secrets.isShown(in: found) ? "***" : found)
    case .spool(let problem):
      return .transportFailure(url: url, page: page, reason: problem)
    }
  }
}
