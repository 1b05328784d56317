// Ratios against peers, in the same run.
//
//     swift build -c release --static-swift-stdlib --product pagecat
//     swift run -c release Benchmarks [.build/release/pagecat] [rounds]
//
// Peers, from Debian: gojq, curl; and nginx-light to serve pages.

import Foundation

let pagecat = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ".build/release/pagecat"
let rounds = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 5 : 5

for program in [pagecat, "gojq", "curl"] where !Child.exists(program) {
  print("'\(program)' does not run; build pagecat first, and install gojq, curl and nginx-light")
  exit(2)
}
let ground = try Ground()
let big = try ground.makeBig()
try ground.servePages()
let onePage = try ground.write(
  """
  endpoint: \(ground.origin)/coins
  contentIdentifier: coins
  pages: { number: page, totalPages: "${body.total_pages}" }
  """, to: "pages.yaml")
let eightAtOnce = try ground.write(
  """
  endpoint: \(ground.origin)/coins
  contentIdentifier: coins
  pages: { number: page, totalPages: "${body.total_pages}" }
  concurrency: 8
  """, to: "eight.yaml")
let bigPage = try ground.write("endpoint: \(ground.origin)/big\ncontentIdentifier: coins\n", to: "big.yaml")

let benches = [
  Bench(
    name: "unwrap 100 MB", ours: [pagecat, "unwrap", "coins", big], peer: ["gojq", "-c", ".coins[]", big],
    target: .timesAsFast(25), megabytes: 16),
  Bench(
    name: "1,000 pages one by one", ours: [pagecat, onePage],
    peer: ["curl", "-s", "\(ground.origin)/coins?page=[1-1000]"],
    target: .atMost(2), megabytes: 40),
  Bench(
    name: "1,000 pages, 8 at once", ours: [pagecat, eightAtOnce],
    peer: ["curl", "-s", "-Z", "--parallel-max", "8", "\(ground.origin)/coins?page=[1-1000]"], target: .atMost(2)),
  Bench(
    name: "100 MB in one page", ours: [pagecat, bigPage], peer: ["curl", "-s", "\(ground.origin)/big"],
    target: .none, megabytes: 110),
  Bench(
    name: "start", ours: [pagecat, "--version"], peer: ["gojq", "--version"], target: .atMost(2)),
]
var isMet = true
for bench in benches {
  // Starting takes milliseconds: many more rounds cost nothing and calm the median.
  isMet = bench.run(rounds: bench.name == "start" ? rounds * 8 : rounds) && isMet
}
exit(isMet ? 0 : 1)
