// What a round trip costs: pages over a delaying proxy, by pagecat and by curl, and by another pagecat.

import Foundation

/// 300 pages over a round trip of 50 ms: plain, over TLS with HTTP/2, and over TLS with HTTP/1.1.
struct HTTP2Bench {
  private static let pages = 300
  private static let seconds = 0.025

  let pagecat: String
  let rounds: Int
  /// A pagecat to compare with: that of the commit before.
  let other: String?
  /// Only ways whose name has these words are measured.
  let words: String
  private let folder = NSTemporaryDirectory() + "/pagecat-http2-\(getpid())"
  private let port = 20_000 + Int(getpid()) % 20_000

  init(pagecat: String, rounds: Int, other: String?, words: String = "") {
    (self.pagecat, self.rounds, self.other, self.words) = (pagecat, rounds, other, words)
  }

  /// Prints a line for each way, and returns true if the goals are met.
  func run() throws -> Bool {
    try FileManager.default.createDirectory(atPath: folder + "/pages", withIntermediateDirectories: true)
    try serve()
    defer {
      _ = Child.run(["nginx", "-p", folder, "-c", folder + "/nginx.conf", "-s", "stop"])
      try? FileManager.default.removeItem(atPath: folder)
    }
    let proxies = try (0..<3).map { try DelayingProxy(to: port + $0, seconds: Self.seconds) }
    let (plain, http2, http1) = (
      "http://127.0.0.1:\(proxies[0].port)", "https://127.0.0.1:\(proxies[1].port)",
      "https://127.0.0.1:\(proxies[2].port)"
    )
    let ways: [(String, String, Int, Bench.Target)] = [
      ("HTTP/2, 8 at once", http2, 8, .atMost(1.03)), ("plain, 8 at once", plain, 8, .none),
      ("TLS, one by one", http2, 1, .none), ("TLS with HTTP/1.1, 8 at once", http1, 8, .none),
    ]
    let chosen = ways.chosen(by: words, \.0)
    var isMet = !chosen.isEmpty
    for (name, origin, width, target) in chosen {
      let spec = folder + "/\(width)-\(origin.suffix(5)).yaml"
      try """
      endpoint: \(origin)/page?page=${input.page}
      contentIdentifier: coins
      concurrency: \(width)
      \(origin.hasPrefix("https") ? "tls: { ca: \(folder)/ca.pem }" : "")
      """.write(toFile: spec, atomically: false, encoding: .utf8)
      let parallel = width > 1 ? ["-Z", "--parallel-max", "\(width)"] : []
      let urls = "\(origin)/page?page=[1-\(Self.pages)]"
      let curl = ["curl", "-s", "--cacert", folder + "/ca.pem"] + parallel + [urls]
      isMet = bench(name, [pagecat, spec], curl, target) && isMet
      guard let other else { continue }
      isMet = bench("\(name), against another pagecat", [pagecat, spec], [other, spec], .none) && isMet
    }
    return isMet
  }

  private func bench(_ name: String, _ ours: [String], _ peer: [String], _ target: Bench.Target) -> Bool {
    let isMet = Bench(name: name, ours: ours, peer: peer, input: folder + "/input", target: target, leastRounds: 5)
      .run(rounds: rounds)
    fflush(nil)
    return isMet == true
  }

  private func serve() throws {
    func write(_ text: String, to name: String) throws {
      try text.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
    }
    let filler = String(repeating: "lorem ipsum ", count: 10)
    for page in 1...Self.pages {
      let coins = (0..<100).map { #"{"id":\#(page * 100 + $0),"text":"\#(filler)"}"# }.joined(separator: ",")
      try write(#"{"coins":[\#(coins)]}"#, to: "pages/\(page).json")
    }
    try write((1...Self.pages).map { "{\"page\":\($0)}\n" }.joined(), to: "input")
    let certificate = Child.run([
      "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
      "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key.pem", "-out", folder + "/ca.pem",
    ])
    guard certificate.code == 0 else { throw Failure(description: "openssl could not make a certificate") }
    let tls = "ssl_certificate \(folder)/ca.pem; ssl_certificate_key \(folder)/key.pem;"
    try write(
      """
      pid \(folder)/nginx.pid; error_log \(folder)/error.log; worker_processes 1;
      events { worker_connections 256; }
      http {
        access_log off; keepalive_requests 1000000; default_type application/json;
        client_body_temp_path \(folder)/1; proxy_temp_path \(folder)/2; fastcgi_temp_path \(folder)/3;
        uwsgi_temp_path \(folder)/4; scgi_temp_path \(folder)/5;
        server {
          listen 127.0.0.1:\(port); listen 127.0.0.1:\(port + 1) ssl http2; listen 127.0.0.1:\(port + 2) ssl;
          \(tls) root \(folder);
          location = /page { try_files /pages/$arg_page.json =404; }
        }
      }
      """, to: "nginx.conf")
    guard Child.run(["nginx", "-p", folder, "-c", folder + "/nginx.conf"]).code == 0 else {
      throw Failure(description: "nginx could not be started: apt-get install nginx-light")
    }
  }
}
