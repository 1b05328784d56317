// A URL becomes a file, whole or not at all.

import Diagnostics
import Emitting
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Wire

/// A record's download: where it is from and where it goes.
struct Download: Sendable {
  /// What a record says of its download.
  enum Planned: Sendable {
    case wanted(Download)
    case impossible(ParameterError)
  }

  let request: Request
  let path: SavePath
  let reservation: PathReservation
  /// What is wrong where another record has the path.
  let conflict: ParameterError

  /// Claims the path for this record: to be called in the order of the records.
  init(
    _ download: Job.Download, _ plan: JobPlan, record: JSONValue, downloadStore: DownloadStore,
    hiding secrets: SecretStore
  ) throws(ParameterError) {
    request = try plan.request(for: record, hiding: secrets)
    path = try plan.savePath(for: record, download, url: request.url)
    guard !downloadStore.isOwn(path.names) else {
      throw plan.fault(of: download, "'\(path.text)' is a file that the run itself reads or writes")
    }
    conflict = plan.fault(of: download, "'\(path.text)' is the path of another record of this run")
    guard let reservation = downloadStore.reserve(path.names) else { throw conflict }
    self.reservation = reservation
  }
}

/// What is known of a file that was saved.
struct SavedFile: Sendable {
  let path: String
  let size: Int
  /// As the server calls it; nil when it did not.
  let type: String?

  /// `{"path":…,"bytes":…,"contentType":…}`
  var json: JSONValue {
    JSONValue(members: [
      ("path", JSONValue(path)), ("bytes", JSONValue(size)), ("contentType", type.map { JSONValue($0) } ?? .null),
    ])
  }
}

extension PageFetcher {
  /// Saves what a URL leads to, if no record before has the path. Of attempts that failed nothing is left, and a file that
  /// was there is what it was.
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
      let isAnother = !reply.head.mayBe(old)
      if !isAnother { known = await knownHead(of: request, reply.head) }
      if isAnother || known?.mayBe(old) == false {
        // It was changed here, not there; or it was another one.
        reply.body.cancel()
        reply = try await self.reply(to: request)
      }
    }
    if let old, reply.head.isStill(old) {
      reply.body.cancel()
      downloadStore.keep(old)
      let type = reply.head.fields["Content-Type"] ?? known?.fields["Content-Type"]
      return SavedFile(path: path.text, size: old.size, type: type)
    }
    guard reply.head.hasWholeFile else { throw await refusal(of: reply, page: nil) }
    let size = try await write(reply, to: path, downloadStore)
    return SavedFile(path: path.text, size: size, type: reply.head.fields["Content-Type"])
  }

  /// What is there instead of what was modified, as far as a 304 does not say it: most leave out length and type (RFC 9110
  /// §15.4.5). Nil where the server does not tell.
  private func knownHead(of request: Request, _ head: ReplyHead) async -> ReplyHead? {
    guard head.fields["Content-Type"] == nil || (head.length ?? 0) == 0 else { return nil }
    var asked = request
    asked.method = "HEAD"
    asked.timeout = min(asked.timeout, .seconds(10))
    // Whatever is wrong with it, that nothing was modified has been said already.
    guard let reply = try? await transport.send(asked) else { return nil }
    reply.body.cancel()
    return reply.head.status == 200 ? reply.head : nil
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
    while let chunk = try await next(of: reply, page: nil) {
      report.count { $0.bytes += chunk.count }
      do {
        try file.write(chunk)
      } catch {
        reply.body.cancel()
        throw outputAttemptError(error)
      }
    }
    let size = file.size
    do {
      try downloadStore.finish(&file, modified: reply.head.modified)
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
    let reason =
      switch fault {
      case .failed(let problem): problem
      case .busy(let path, _): "another run is writing '\(path)'"
      case .readerGone: "its reader went away"
      }
    return AttemptError(.outputFailure(reason: secrets.redacting(reason).printable), .lasting)
  }
}

extension ReplyHead {
  /// Statuses that bring a whole file: not nothing, and no part of it.
  fileprivate var hasWholeFile: Bool { (200...299).contains(status) && ![204, 205, 206].contains(status) }

  fileprivate var length: Int? { fields["Content-Length"].flatMap { Int($0) } }

  /// When the file was changed last, in Unix seconds.
  fileprivate var modified: Int? {
    fields["Last-Modified"].flatMap { HTTPDate.seconds(of: $0, now: 0) }.map { Int($0) }
  }

  /// Whether a file has the length that is said, if one is: many say 0 where they send no body.
  fileprivate func mayBe(_ file: EntryMetadata) -> Bool { length == nil || length == 0 || length == file.size }

  /// Whether the server says that it has nothing newer than a file. Not all of them look at `If-Modified-Since`.
  fileprivate func isStill(_ file: EntryMetadata) -> Bool {
    if status == 304 { return true }
    guard status == 200, let length, let modified else { return false }
    return length == file.size && modified <= file.modified
  }
}
