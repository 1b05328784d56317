// What a megabyte costs: as much as a thousand times a kilobyte, and no more.

import PipelineSpec
import TestSupport
import Testing
import Wire

@testable import FetchPlan

@Suite("The work for a URL grows with its length")
struct GrowthTests {
  @Test(
    "of a long path, a long query, and behind a secret",
    arguments: [("", "segment/"), ("x?", "name=value&"), ("${env.KEY}/", "segment/"), ("", "%2e/")])
  func endpoint(start: String, part: String) throws {
    let growth = try growthByEight(from: 50_000) { size in
      let endpoint = start + String(repeating: part, count: size / part.utf8.count)
      let request = try makePlan(makeJob(Template(endpoint))).request(for: nil, hiding: SecretStore())
      #expect(part == "%2e/" || request.url.text.utf8.count > size / 2)
    }
    #expect(growth < 16)
  }
}
