import Diagnostics
import Files
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Primitives
import Wire

extension PageFetcher {
  /// Saves the file of a URL, if no earlier record has the path.
  ///
  /// A failed attempt leaves nothing, and no existing file changes.
  func save(_ download: Download, by downloadStore: DownloadStore) async throws(NetworkingError) -> SavedFile {
    guard await download.reservation.wait() else { throw NetworkingError(download.conflict, hiding: secrets) }
    let file = try await retrying(download.request, page: nil) { (request) async throws(FetchAttemptError) in
      try await attempt(request, download.path, downloadStore)
    }
    download.reservation.keep()
    return file
  }

  private func attempt(
    _ request: Request, _ path: SavePath, _ downloadStore: DownloadStore
  ) async throws(FetchAttemptError) -> SavedFile {
    let old = try emitting { () throws(FileError) in try downloadStore.look(at: path.names) }
    var asked = request
    if let old { asked.ask(ifModifiedSince: old.modified) }
    var reply = try await reply(to: asked)
    var known: ReplyHead?
    if reply.head.status == 304, let old {
      if reply.head.mayHaveLength(of: old) { known = await knownHead(of: request, reply.head) }
      if known?.mayHaveLength(of: old) != true {
        // The file was changed locally, or it is a different file, or the server tells its type to a GET only.
        reply.body.cancel()
        reply = try await self.reply(to: request)
      }
    }
    if let old, reply.head.isUnchanged(old, now: retrier.unixTime) {
      reply.body.cancel()
      downloadStore.keep(old)
      let type = reply.head.fields["Content-Type"] ?? known?.fields["Content-Type"]
      return SavedFile(path: path.text, size: old.size, type: type)
    }
    guard reply.head.hasWholeFile else { throw await refusal(of: reply, page: nil) }
    let size = try await write(reply, to: path, downloadStore)
    return SavedFile(path: path.text, size: size, type: reply.head.fields["Content-Type"])
  }

  /// Returns the head of a 304 if it has length and type, or else the head of a HEAD request.
  ///
  /// Most servers leave both out of a 304 (RFC 9110 §15.4.5). Some refuse a HEAD, such as one for a URL that was signed
  /// for a GET. Returns nil if that leaves the type unknown.
  private func knownHead(of request: Request, _ head: ReplyHead) async -> ReplyHead? {
    let hasType = head.fields["Content-Type"] != nil
    guard !hasType || (head.length ?? 0) == 0 else { return head }
    var asked = request
    asked.method = "HEAD"
    asked.timeout = min(asked.timeout, .seconds(10))
    // Ignore its errors: the server has already said that the file was not modified.
    if let reply = try? await transport.send(asked) {
      reply.body.cancel()
      if reply.head.status == 200 { return reply.head }
    }
    return hasType ? head : nil
  }

  private func reply(to request: Request) async throws(FetchAttemptError) -> Reply {
    do {
      return try await transport.send(request)
    } catch {
      throw attemptError(error, page: nil)
    }
  }

  private func write(_ reply: Reply, to path: SavePath, _ downloadStore: DownloadStore) async throws(FetchAttemptError)
    -> Int
  {
    var file: DownloadFile
    do {
      file = try downloadStore.begin(path.names)
    } catch {
      reply.body.cancel()
      throw outputAttemptError(error)
    }
    var last: UInt8?
    while let chunk = try await next(of: reply, page: nil) {
      report.count { $0.bytes += chunk.count }
      last = chunk.last
      do {
        try file.write(chunk)
      } catch {
        reply.body.cancel()
        throw outputAttemptError(error)
      }
    }
    try checkTrailers(of: reply, page: nil)
    if reply.head.hasLines(at: path.text) { try checkEnd(of: reply, last: last, page: nil) }
    let size = file.size
    do {
      try downloadStore.finish(&file, modified: reply.head.modified(now: retrier.unixTime))
    } catch {
      throw outputAttemptError(error)
    }
    return size
  }

  private func emitting<Value>(_ work: () throws(FileError) -> Value) throws(FetchAttemptError) -> Value {
    do {
      return try work()
    } catch {
      throw outputAttemptError(error)
    }
  }

  private func outputAttemptError(_ fault: FileError) -> FetchAttemptError {
    AttemptError(.outputFailure(reason: secrets.redacting(fault.problem).printable), .lasting)
  }
}
