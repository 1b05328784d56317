import Foundation
import TestSupport
import Testing

/// What `new` writes, beside what was written by hand for the same answers.
@Suite("A spec that 'new' writes", .limitedConcurrency)
struct DraftTests {
  /// APIs whose draft gives the records of the spec by hand.
  ///
  /// The others can't: their spec by hand has input records, a model, members that are set, or a token first; or the
  /// recording has no page by the pager that the answer names; or nothing in the answer says that there is more.
  private static let alike: Set = [
    "airtable", "clinical-trials", "datacite", "fhir", "github-graphql", "github-issues", "github-search", "gitlab",
    "hubspot", "jira-projects", "mastodon", "open-library", "openalex", "openfda", "salesforce", "shopify",
    "shopify-graphql", "slack", "stripe", "twilio", "wikipedia", "wordpress", "x", "zendesk",
  ]

  @Test("passes 'check' for each recording of a real API, and gives the same records for most that turn pages")
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
    #expect(Self.alike.subtracting(same).isEmpty)
  }
}
