// How long a limited server keeps one process, and four. The peer is the limit itself.

import Foundation

/// 2,000 requests to nginx with `limit_req` at 100 a second: with a rate and without, by one process and by four.
struct PaceBench {
  private static let requests = 2_000
  private static let perSecond = 100

  let pagecat: String
  private let folder = NSTemporaryDirectory() + "/pagecat-pace-\(getpid())"
  private let port = 20_000 + Int(getpid()) % 20_000

  init(pagecat: String) {
    self.pagecat = pagecat
  }

  /// Prints a line for each set-up, and returns true if none lost a record.
  func run() throws -> Bool {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try serve()
    defer {
      _ = Child.run(["nginx", "-p", folder, "-c", folder + "/nginx.conf", "-s", "stop"])
      try? FileManager.default.removeItem(atPath: folder)
    }
    var isWhole = true
    for way in ["told", "bare"] {
      let spec = """
        endpoint: http://127.0.0.1:\(port)/\(way)
        params: { rate: null }
        query: { id: "${record.id}" }
        rate: ${param.rate?}
        concurrency: 8
        """
      try spec.write(toFile: folder + "/\(way).yaml", atomically: false, encoding: .utf8)
      for (processes, rate) in [(1, ""), (1, "100/s"), (4, "25/s"), (4, ""), (4, "100/s")] {
        isWhole = try measure(way, processes: processes, rate: rate) && isWhole
      }
    }
    return isWhole
  }

  private func measure(_ way: String, processes: Int, rate: String) throws -> Bool {
    // The limit forgets the set-up before.
    sleep(2)
    let count = Self.requests / processes
    let parts = try (0..<processes).map { part in
      let lines = (0..<count).map { "{\"id\":\(part * count + $0)}\n" }.joined()
      try lines.write(toFile: folder + "/in-\(part)", atomically: false, encoding: .utf8)
      return part
    }
    let begun = DispatchTime.now().uptimeNanoseconds
    let command = parts.map {
      "\(pagecat) -q \(folder)/\(way).yaml 'rate=\(rate)' < \(folder)/in-\($0) > \(folder)/out-\($0) & p\($0)=$!"
    }
    let waits = parts.map { "wait $p\($0) || code=1" }
    let child = Child.run(["sh", "-c", (command + ["code=0"] + waits + ["exit $code"]).joined(separator: "\n")])
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9
    let records = try parts.reduce(0) { sum, part in
      try sum + String(contentsOfFile: folder + "/out-\(part)", encoding: .utf8).split(separator: "\n").count
    }
    let least = Double(Self.requests) / Double(Self.perSecond)
    let isWhole = child.code == 0 && records == Self.requests
    print(
      isWhole ? "ok  " : "MISS",
      way == "told" ? "429 with Retry-After: 1," : "429 without a time,",
      "\(processes) \(processes == 1 ? "process" : "processes"),", rate.isEmpty ? "no rate:" : "rate \(rate) each:",
      "\(String(format: "%.1f", seconds)) s, \(format(seconds / least)) times the limit, \(records) records")
    return isWhole
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
