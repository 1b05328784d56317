// A spec file as people write it, down to the requests.

import Diagnostics
import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct SpecToRequestTests {
  private func plans(_ text: String) throws -> [JobPlan] {
    let spec = try Spec(reading: SourceText(name: "t.yaml", bytes: Array(text.utf8)))
    return try spec.jobs.map { try makePlan($0) }
  }

  @Test("Each drink category becomes a request for its drinks")
  func cocktails() throws {
    let plans = try plans(
      """
      base: https://www.thecocktaildb.com/api/json/v1/1/
      steps:
        - name: categories
          endpoint: list.php
          query: { c: list }
          contentIdentifier: drinks
        - name: drinks
          endpoint: filter.php
          query:
            c: ${input.strCategory}
          contentIdentifier: drinks
          attach: items
          onError: empty
      """)
    let url = "https://www.thecocktaildb.com/api/json/v1/1/"
    #expect(try plans[0].request(for: nil).url.text == url + "list.php?c=list")
    #expect(try plans[0].content(for: nil) == ["drinks"])
    let record = JSONValue.record(#"{"strCategory":"Punch / Party Drink"}"#)
    #expect(try plans[1].request(for: record).url.text == url + "filter.php?c=Punch%20%2F%20Party%20Drink")
  }

  @Test("Coins are turned page by page, with the key in a header that is not shown")
  func coins() throws {
    let plan = try plans(
      """
      base: https://api.coingecko.com/api/v3/
      endpoint: coins/markets
      headers: { x-cg-demo-api-key: "${env.KEY}" }
      query: { vs_currency: usd, page: 1, per_page: 250, sparkline: false }
      pages: { number: page, until: short }
      """)[0]
    let first = try plan.request(for: nil)
    let url = "https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&page=1&per_page=250&sparkline=false"
    #expect(first.url.text == url)
    #expect(first.fields.all.last?.value == Redactable("s3cr et/1", redacted: "***"))
    #expect(
      plan.pager(first: first, record: nil).request(ofPage: 3)?.url.text == url.replacing("page=1", with: "page=3"))
  }

  @Test("Dates in a spec become records, and those requests")
  func apod() throws {
    let plan = try plans(
      """
      endpoint: https://api.nasa.gov/planetary/apod
      query: { api_key: "${env.NO:-DEMO_KEY}", date: "${input.date}" }
      each: { date: { from: 2024-02-28, to: "${today}", step: 1d } }
      """)[0]
    let urls = try plan.eachRecords()!.prefix(3).map { try plan.request(for: $0).url.text }
    #expect(urls.last == "https://api.nasa.gov/planetary/apod?api_key=DEMO_KEY&date=2024-03-01")
  }
}
