import Foundation
import TestSupport
import Testing

/// What `new` writes, beside what was written by hand for the same answers.
@Suite("A spec that 'new' writes", .limitedConcurrency)
struct DraftTests {
  /// Keys of a spec by hand that make other records of what was fetched, fetch by input records, or take several steps.
  private static var changes: Regex<Substring> {
    /(?m)^ *-? *\{? *(?:steps|model|set|attach|each|match|decode|where|drop|poll|batch|columns|incremental|download):/
  }
  /// Content that is a part of each element.
  private static var parts: Regex<Substring> { /(?m)^contentIdentifier:.*\*/ }

  /// APIs whose spec by hand gives what was fetched, as it came.
  private static func plain() throws -> Set<String> {
    let folder = Shell.package + "/pipelines/apis"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
    return Set(
      try files.filter { file in
        let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        return !text.contains(changes) && !text.contains(parts)
      }.map { String($0.dropLast(5)) })
  }

  @Test("passes 'check' for each recording of a real API, and gives the same records for 9 of 10 that are plain")
  func recordings() async throws {
    let folder = try TemporaryFolder()
    let script = """
      for har in "$SAMPLES"/*.har; do
        name=$(basename "$har" .har)
        pagecat new --har "$har" -o "$name.yaml" -q 2>errors || { test $? -lt 5 || echo "bad $name"; continue; }
        API_KEY=x API_TOKEN=x pagecat check "$name.yaml" -q || echo "bad $name"
        pagecat "$name.yaml" --replay "$har" -q --summary none >"$name.out" 2>/dev/null
        cmp -s "$name.out" "$SAMPLES/$name.ndjson" && echo "same $name"
      done; true
      """
    let result = try await Shell.run(
      script, in: folder.path, environment: ["SAMPLES": Shell.package + "/samples/apis"])
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix("bad ") }.isEmpty && result.error.isEmpty, "\(result.output)\(result.error)")
    let same = Set(lines.filter { $0.hasPrefix("same ") }.map { String($0.dropFirst(5)) })
    let plain = try Self.plain()
    #expect(plain.count > 40)
    #expect(same.intersection(plain).count * 10 >= plain.count * 9, "\(plain.subtracting(same).sorted())")
  }
}
