// A transport that answers what a test says, and readers for what comes of it.

import Primitives
import Foundation
import Synchronization
import Wire

@testable import Fetching

/// What a stub answers: a head, pieces of a body, and perhaps a fault after them; or only a fault.
struct StubAnswer: Sendable {
  var status = 200
  var fields: [(String, String)] = [("Content-Type", "application/json")]
  var pieces: [[UInt8]] = []
  var fault: TransportError?

  static func text(_ text: String, status: Int = 200) -> StubAnswer {
    StubAnswer(status: status, pieces: text.isEmpty ? [] : [Array(text.utf8)])
  }

  static func failure(_ kind: TransportError.Kind, _ problem: String) -> StubAnswer {
    StubAnswer(status: 0, fault: TransportError(kind, url: Redactable("https://x.test/"), problem: problem))
  }
}

/// Gives its answers in the order of the requests.
final class StubTransport: HTTPTransport {
  private let answers: Locked<[StubAnswer]>

  init(_ answers: [StubAnswer]) {
    self.answers = Locked(answers)
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let answer = answers.withLock { $0.removeFirst() }
    if answer.status == 0, let fault = answer.fault { throw fault }
    let fields = HTTPFields(answer.fields.map { HTTPFields.Field(name: $0.0, value: Redactable($0.1)) })
    let head = ReplyHead(status: answer.status, fields: fields, url: request.url)
    return Reply(head: head, body: StubBody(answer))
  }
}

private final class StubBody: ReplyBody {
  private let pieces: Locked<ArraySlice<[UInt8]>>
  private let fault: TransportError?

  init(_ answer: StubAnswer) {
    pieces = Locked(answer.pieces[...])
    fault = answer.fault
  }

  func next() async throws(TransportError) -> [UInt8]? {
    if let piece = pieces.withLock({ $0.popFirst() }) { return piece }
    if let fault { throw fault }
    return nil
  }

  func cancel() {
    pieces.withLock { $0 = [] }
  }
}

func get(_ url: String, redacted: String? = nil) -> Request {
  Request(method: "GET", url: Redactable(url, redacted: redacted))
}

func post(_ url: String, _ body: String) -> Request {
  Request(method: "POST", url: Redactable(url), body: Request.Body(bytes: Array(body.utf8), redacted: body))
}

extension HTTPTransport {
  /// The whole body of an answer.
  func body(_ request: Request) async throws(TransportError) -> [UInt8] {
    let reply = try await send(request)
    var bytes: [UInt8] = []
    while let piece = try await reply.body.next() { bytes += piece }
    return bytes
  }

  func text(_ request: Request) async throws(TransportError) -> String {
    String(decoding: try await body(request), as: UTF8.self)
  }

  /// The fault of an exchange that should fail, in its head or body.
  func fault(_ request: Request) async -> TransportError? {
    do throws(TransportError) {
      _ = try await body(request)
      return nil
    } catch {
      return error
    }
  }
}

/// A folder of its own that is gone with it.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("har-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

/// A recording under way, and what is in its file afterwards.
struct Recording {
  let folder: Folder
  let transport: RecordingTransport
  var path: String { folder.path + "/run.har" }

  init(_ answers: [StubAnswer], secrets: [String] = [], start: Int = 1_700_000_000) throws {
    folder = try Folder()
    let ticks = Locked(Double(start))
    transport = try RecordingTransport(
      next: StubTransport(answers), path: folder.path + "/run.har", secrets: SecretStore(secrets),
      creatorVersion: "1.0.0",
      start: start
    ) {
      ticks.withLock {
        $0 += 0.25
        return $0
      }
    }
  }

  /// Ends the recording.
  func bytes() throws -> [UInt8] {
    try transport.close()
    return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func log() throws -> [String: Any] {
    let har = try JSONSerialization.jsonObject(with: Data(try bytes())) as? [String: Any]
    return har?["log"] as? [String: Any] ?? [:]
  }

  func entries() throws -> [[String: Any]] {
    try log()["entries"] as? [[String: Any]] ?? []
  }

  func replay() throws -> ReplayTransport {
    try ReplayTransport(har: try bytes(), name: "run.har")
  }
}

extension [String: Any] {
  /// The value behind a dotted path, as text.
  func at(_ path: String) -> String {
    var value: Any? = self
    for name in path.split(separator: ".") {
      if let list = value as? [Any] {
        value = Int(name).flatMap { list.indices.contains($0) ? list[$0] : nil }
      } else {
        value = (value as? [String: Any])?[String(name)]
      }
    }
    return value.map { "\($0)" } ?? "nothing"
  }
}
