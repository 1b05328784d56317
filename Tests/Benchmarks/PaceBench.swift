// How long a limited server keeps one process, and four. The peer is the limit itself.

import Dispatch
import Foundation

/// Requests to servers that limit them: with a rate and without, by one process and by four, with a shared file.
///
/// nginx with `limit_req` at 100 a second has the goal; `LimitedServer` has other limits.
struct PaceBench {
  private static let perSecond = 100
  private static let goal = 1.25
  /// Requests in flight of each process.
  private static let atOnce = 8

  /// How the requests are made.
  private struct SetUp {
    let processes: Int
    var rate = ""
    var isShared = false

    var text: String {
      [
        processes == 1 ? "one process" : "\(processes) processes", rate.isEmpty ? "no rate" : "rate \(rate) each",
        isShared ? "--pace" : "",
      ].filter { !$0.isEmpty }.joined(separator: ", ")
    }
  }

  /// A server, and the shortest time for the requests.
  private struct Way {
    let name: String
    let text: String
    /// The URL for a set-up: a limit that changes begins anew with each.
    let url: (SetUp) -> String
    let leastSeconds: (SetUp) -> Double
    let setUps: [SetUp]
  }

  private static let all = [
    SetUp(processes: 1), SetUp(processes: 1, rate: "100/s"), SetUp(processes: 4, rate: "25/s"),
    SetUp(processes: 4, rate: "100/s"), SetUp(processes: 4), SetUp(processes: 4, isShared: true),
    SetUp(processes: 4, rate: "100/s", isShared: true),
  ]
  private static let learning = [SetUp(processes: 1), SetUp(processes: 4), SetUp(processes: 4, isShared: true)]

  let pagecat: String
  /// Number of requests of each set-up.
  let requests: Int
  /// Words of a server's name: only these.
  let words: String
  private let folder = NSTemporaryDirectory() + "/pagecat-pace-\(getpid())"
  private let port = 20_000 + Int(getpid()) % 20_000

  init(pagecat: String, requests: Int, words: String) {
    (self.pagecat, self.requests, self.words) = (pagecat, requests, words)
  }

  /// Prints a line for each set-up, and returns true if those with `--pace` lost no record.
  func run() throws -> Bool {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try serve()
    let server = try LimitedServer()
    defer {
      _ = Child.run(["nginx", "-p", folder, "-c", folder + "/nginx.conf", "-s", "stop"])
      try? FileManager.default.removeItem(atPath: folder)
    }
    let least = Double(requests) / Double(Self.perSecond)
    var ways = [("told", "429 with Retry-After: 1"), ("bare", "429 without a time")].map { name, text in
      Way(
        name: name, text: text, url: { _ in "http://127.0.0.1:\(port)/\(name)" }, leastSeconds: { _ in least },
        setUps: Self.all)
    }
    ways += LimitedServer.Limit.allCases.map { limit in
      Way(
        name: limit.rawValue, text: limit.rawValue,
        url: { "\(server.origin)/\(limit.rawValue)/\($0.processes)\($0.isShared)" },
        leastSeconds: { limit.leastSeconds(requests: requests, atOnce: Self.atOnce * $0.processes) },
        setUps: Self.learning)
    }
    let chosen = ways.chosen(by: words, \.text)
    var isWhole = !chosen.isEmpty
    for way in chosen {
      for setUp in way.setUps {
        let spec = """
          endpoint: \(way.url(setUp))
          params: { rate: null }
          query: { id: "${input.id}" }
          rate: ${param.rate?}
          concurrency: \(Self.atOnce)
          """
        try spec.write(toFile: folder + "/\(way.name).yaml", atomically: false, encoding: .utf8)
        isWhole = try measure(way, setUp) && isWhole
      }
    }
    return isWhole
  }

  private func measure(_ way: Way, _ setUp: SetUp) throws -> Bool {
    // The limit forgets the set-up before.
    sleep(2)
    let count = requests / setUp.processes
    let parts = try (0..<setUp.processes).map { part in
      let lines = (0..<count).map { "{\"id\":\(part * count + $0)}\n" }.joined()
      try lines.write(toFile: folder + "/in-\(part)", atomically: false, encoding: .utf8)
      return part
    }
    try? FileManager.default.removeItem(atPath: folder + "/pace")
    let options = setUp.isShared ? "--pace \(folder)/pace" : ""
    let begun = DispatchTime.now().uptimeNanoseconds
    let command = parts.map {
      "\(pagecat) -q \(folder)/\(way.name).yaml 'rate=\(setUp.rate)' \(options) < \(folder)/in-\($0) "
        + "> \(folder)/out-\($0) & p\($0)=$!"
    }
    let waits = parts.map { "wait $p\($0) || code=1" }
    let child = Child.run(["sh", "-c", (command + ["code=0"] + waits + ["exit $code"]).joined(separator: "\n")])
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9
    let records = try parts.reduce(0) { sum, part in
      try sum + String(contentsOfFile: folder + "/out-\(part)", encoding: .utf8).split(separator: "\n").count
    }
    let isWhole = child.code == 0 && records == requests
    let ratio = seconds / way.leastSeconds(setUp)
    print(
      !isWhole ? "MISS" : ratio <= Self.goal ? "ok  " : "slow", "\(way.text), \(setUp.text):",
      "\(String(format: "%.1f", seconds)) s, \(format(ratio)) times the least, \(records) records")
    fflush(nil)
    return isWhole || !setUp.isShared
  }

  private func serve() throws {
    try #"{"name":"x"}"#.write(toFile: folder + "/item.json", atomically: false, encoding: .utf8)
    let configuration = """
      pid \(folder)/nginx.pid; error_log \(folder)/error.log crit; worker_processes 1;
      events { worker_connections 256; }
      http {
        access_log off; keepalive_requests 1000000; default_type application/json;
        client_body_temp_path \(folder)/1; proxy_temp_path \(folder)/2; fastcgi_temp_path \(folder)/3;
        uwsgi_temp_path \(folder)/4; scgi_temp_path \(folder)/5;
        limit_req_zone $server_name zone=all:1m rate=\(Self.perSecond)r/s; limit_req_status 429;
        server {
          listen 127.0.0.1:\(port); server_name limited; root \(folder);
          location = /told {
            limit_req zone=all burst=20 nodelay; try_files /item.json =404; error_page 429 @told;
          }
          location @told { add_header Retry-After 1 always; return 429 '{"error":"slow down"}'; }
          location = /bare { limit_req zone=all burst=20 nodelay; try_files /item.json =404; }
        }
      }
      """
    try configuration.write(toFile: folder + "/nginx.conf", atomically: false, encoding: .utf8)
    guard Child.run(["nginx", "-p", folder, "-c", folder + "/nginx.conf"]).code == 0 else {
      throw Failure(description: "nginx could not be started: apt-get install nginx-light")
    }
  }
}
