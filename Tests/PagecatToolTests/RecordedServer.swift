import Foundation
import JSONText
import TestSupport
import Wire

/// A recording of `samples/apis/`, served from this machine: all of its hosts are one.
final class RecordedServer: Sendable {
  private struct Entry: Sendable {
    let method: String
    /// Path and query.
    let target: String
    let body: String
    let headers: [(name: String, value: String)]
    let status: Int
    let fields: [(name: String, value: String)]
    let text: String
  }

  private let entries: [Entry]
  private let hosts: Set<String>
  /// Numbers of the answers that were given, by request.
  private let given = Watched([String: Int]())
  private let server = Watched<LoopbackServer?>(nil)

  init(_ name: String) throws {
    let har = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: "\(SpecByHand.samples)/\(name).har"))))
    var hosts: Set<String> = []
    entries = (har["log"]?["entries"]?.elements ?? JSONValue(members: []).elements).compactMap { entry in
      guard let request = entry["request"], let response = entry["response"], let url = request["url"]?.string,
        let text = response["content"]?["text"]?.string, text != "***"
      else { return nil }
      let host = url.split(separator: "/", maxSplits: 2).prefix(2).joined(separator: "//")
      hosts.insert(host)
      return Entry(
        method: request["method"]?.string ?? "", target: String(url.dropFirst(host.count)),
        body: request["postData"]?["text"]?.string ?? "", headers: Self.pairs(request["headers"]),
        status: response["status"]?.integer ?? 200, fields: Self.pairs(response["headers"]), text: text)
    }
    self.hosts = hosts
    let started = try LoopbackServer { [weak self] in self?.answer($0) ?? .status(404) }
    server.update { $0 = started }
  }

  private static func pairs(_ list: JSONValue?) -> [(name: String, value: String)] {
    (list?.elements.map { ($0["name"]?.string ?? "", $0["value"]?.string ?? "") }) ?? []
  }

  var origin: String { server.update { $0?.origin ?? "" } }

  /// The different requests that came.
  var requestCount: Int {
    Set(server.update { $0?.requests.map { "\($0.method) \($0.target) \($0.text)" } ?? [] }).count
  }

  /// Answers again from the beginning.
  func restart() { given.update { $0 = [:] } }

  /// The arguments of `new` for the first request.
  var arguments: [String] {
    guard let first = entries.first else { return [] }
    let usual: Set = ["accept", "user-agent", "host", "content-length", "accept-encoding"]
    let fields = first.headers.filter { !usual.contains($0.name.lowercased()) }.flatMap {
      ["-H", "\($0.name): \($0.value)"]
    }
    return [origin + first.target] + fields + (first.body.isEmpty ? [] : ["-d", first.body])
      + (first.method == (first.body.isEmpty ? "GET" : "POST") ? [] : ["-X", first.method])
  }

  /// The first answer says that a job is not done.
  var startsJob: Bool {
    entries.first.map {
      $0.status == 202 || $0.text.contains(#/"(status|state)": *"(PENDING|pending|QUEUED|RUNNING)"/#)
    } ?? false
  }

  /// The text with this server in place of the recorded ones.
  func moved(_ text: String) -> String {
    hosts.reduce(text) { text, host in
      text.replacing(host, with: origin)
        .replacing(host.replacing("/", with: "\\/"), with: origin.replacing("/", with: "\\/"))
    }
  }

  private func answer(_ request: SeenRequest) -> Answer {
    let key = Self.key(request.method, request.target, request.text)
    let same = entries.filter { Self.key($0.method, $0.target, $0.body) == key }
    guard !same.isEmpty else {
      let path = request.path
      let others = entries.filter { $0.method == request.method && $0.target.prefix { $0 != "?" } == path }
      // After its last page, a server has an empty one.
      guard let last = others.last, let body = try? JSONValue(parsing: Array(last.text.utf8)) else {
        return .status(404)
      }
      return .json(Self.emptied(body).text)
    }
    let number = given.update { given in
      defer { given[key, default: 0] += 1 }
      return given[key] ?? 0
    }
    let entry = same[min(number, same.count - 1)]
    let body = Array(moved(entry.text).utf8)
    let fields = entry.fields.filter {
      !["content-length", "content-encoding", "transfer-encoding"].contains($0.name.lowercased())
    }
    let head = (["HTTP/1.1 \(entry.status) Recorded"] + fields.map { "\($0.name): \(moved($0.value))" }).joined(
      separator: "\r\n")
    return .raw([.send(Array("\(head)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)])
  }

  /// A request without the order of items and members.
  private static func key(_ method: String, _ target: String, _ body: String) -> String {
    let parts = target.split(separator: "?", maxSplits: 1)
    let items = (parts.dropFirst().first?.split(separator: "&") ?? []).map {
      String(decoding: String($0).percentDecoded, as: UTF8.self)
    }
    let json = try? JSONSerialization.jsonObject(with: Data(body.utf8))
    let sorted = json.flatMap { try? JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys]) }
    return
      "\(method) \(parts.first ?? "") \(items.sorted()) \(sorted.map { String(decoding: $0, as: UTF8.self) } ?? body)"
  }

  /// The value with empty lists, and without what leads to another page.
  private static func emptied(_ value: JSONValue) -> JSONValue {
    switch value.kind {
    case .array: JSONValue(elements: [])
    case .object:
      JSONValue(
        members: value.members.filter { !$0.name.lowercased().contains("next") }.map { ($0.name, emptied($0.value)) })
    default: value
    }
  }
}
