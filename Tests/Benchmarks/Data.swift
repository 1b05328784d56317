// Data to measure on, made here, the same on every machine; and a server for it: nginx, in a folder of its own.

import Foundation

/// A folder of pages and a big envelope, and nginx before it.
final class Ground {
  let folder: String
  let port: Int
  private var isServing = false

  init() throws {
    folder = NSTemporaryDirectory() + "/pagecat-benchmark-\(getpid())"
    port = 20_000 + Int(getpid()) % 20_000
    try FileManager.default.createDirectory(atPath: folder + "/pages", withIntermediateDirectories: true)
  }

  /// Ends the server and takes the folder away.
  ///
  /// To be called: nothing that is global is ever deinitialized.
  func clear() {
    if isServing { _ = Child.run(["nginx", "-p", folder, "-c", folder + "/nginx.conf", "-s", "stop"]) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  var origin: String { "http://127.0.0.1:\(port)" }

  func write(_ text: String, to name: String) throws -> String {
    try text.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
    return folder + "/" + name
  }

  private func coin(_ id: Int) -> String {
    let price = Double((id &* 2_654_435_761) % 9_999_991) / 131
    return #"{"id": \#(id), "symbol": "c\#(id)", "name": "Coin \"\#(id)\" \u00e9", "current_price": \#(price), "#
      + #""market_cap": \#((id &* 40_503) % 1_000_000_007), "roi": null, "tags": ["a", "b", {"x": [1, 2, 3]}], "#
      + #""last_updated": "2026-01-01T00:00:00.000Z", "description": "\#(String(repeating: "lorem ipsum ", count: 8))"}"#
  }

  /// An envelope of about 100 MB, as Python's `json.dumps` writes one.
  func makeBig() throws -> String {
    try write(#"{"meta": {"page": 1}, "coins": ["#, of: coin, ", ", #"], "next": null}"#, to: "big.json")
  }

  /// The spec that fetches it, with a condition or without one.
  func bigSpec(where condition: String? = nil) -> String {
    "endpoint: \(origin)/big\ncontentIdentifier: coins\n" + (condition.map { "where: \($0)\n" } ?? "")
  }

  /// A table of 100 MB; two of nine fields are quoted.
  func makeTable() throws {
    let row = { (id: Int) in
      #"\#(id),c\#(id),"Coin ""\#(id)"" é",\#(id % 977).25,\#((id &* 40_503) % 1_000_000_007),,"a, b",2026-01-01,lorem ipsum dolor"#
    }
    _ = try write(
      "id,symbol,name,price,cap,roi,tags,updated,description\n", of: row, "\n", "\n", to: "table.csv", blocks: 1_120)
  }

  /// The same records as lines.
  func makeLines() throws -> String {
    try write("", of: coin, "\n", "\n", to: "big.ndjson")
  }

  /// A file of 1,000,000 records of 200 bytes, and new versions of 1 % of them, in another order.
  func makeFollowed() throws -> (file: String, news: String) {
    func record(_ id: Int, _ version: Int) -> String {
      let start = #"{"id":\#(id),"version":\#(version),"text":""#
      return start + String(repeating: "x", count: 197 - start.utf8.count) + #""}"#
    }
    return (
      try write("", of: { record($0, 1) }, "\n", "\n", to: "followed.ndjson", blocks: 1_000),
      try write("", of: { record($0 &* 7_919 % 1_000_000, 2) }, "\n", "\n", to: "news.ndjson", blocks: 10)
    )
  }

  private func write(
    _ start: String, of item: (Int) -> String, _ separator: String, _ end: String, to name: String, blocks: Int = 300
  ) throws -> String {
    let path = folder + "/" + name
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = FileHandle(forWritingAtPath: path)!
    file.write(Data(start.utf8))
    for block in 0..<blocks {
      let items = (0..<1_000).map { item(block * 1_000 + $0) }.joined(separator: separator)
      file.write(Data(((block == 0 ? "" : separator) + items).utf8))
    }
    file.write(Data(end.utf8))
    try file.close()
    return path
  }

  /// 1,000 pages of 100 records under `coins`, at `/coins?page=N`.
  func servePages() throws {
    for page in 1...1_000 {
      let coins = (0..<100).map { coin(page * 100 + $0) }.joined(separator: ",")
      _ = try write(#"{"page":\#(page),"total_pages":1000,"coins":[\#(coins)]}"#, to: "pages/\(page).json")
    }
    _ = try write(#"{"coins":[\#(coin(1))]}"#, to: "tiny.json")
    _ = try write(
      """
      pid \(folder)/nginx.pid; error_log \(folder)/error.log; worker_processes 1;
      events { worker_connections 256; }
      http {
        access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; default_type application/json;
        client_body_temp_path \(folder)/1; proxy_temp_path \(folder)/2; fastcgi_temp_path \(folder)/3;
        uwsgi_temp_path \(folder)/4; scgi_temp_path \(folder)/5;
        server {
          listen 127.0.0.1:\(port); root \(folder);
          location = /coins { try_files /pages/$arg_page.json =404; }
          location = /tiny { try_files /tiny.json =404; }
          location = /big { try_files /big.json =404; }
          location = /table { try_files /table.csv =404; }
        }
      }
      """, to: "nginx.conf")
    isServing = Child.run(["nginx", "-p", folder, "-c", folder + "/nginx.conf"]).code == 0
    guard isServing else { throw Failure(description: "nginx could not be started: apt-get install nginx-light") }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}
