// The recordings in `samples/` answer what the specs in `pipelines/` ask.

import Foundation
import Testing
import Wire

@testable import Fetching

@Suite("A sample")
struct HARSamplesTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("samples")

  private static func sample(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name + ".har")))
  }

  @Test("answers the requests that its pipeline makes, and no others")
  func answers() async throws {
    let days = (1...10).map { $0 < 10 ? "2024-01-0\($0)" : "2024-01-\($0)" }
    let pictures = [
      "OrionFrozenLake_Lindqvist_4096", "StraightWall_Adeyemi_5120", "NGC2276_hst_4096",
      "Quadrantids_Ferrari_5120", "PhobosShadow_pia90210_4096", "LightPillars_Kowalczuk_5120",
      "Abell2744_jwst_3000", "TranquilitySunset_Nakagawa_3000",
    ]
    let coins = "https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&order=market_cap_desc&per_page=20&page="
    for (name, urls) in [
      ("coins", (1...4).map { coins + "\($0)" }),
      (
        "space-photos",
        days.map { "https://api.nasa.gov/planetary/apod?api_key=***&date=\($0)" }
          + pictures.map { "https://apod.nasa.gov/apod/image/2401/\($0).jpg" }
      ),
      ("users-and-posts", ["users", "posts"].map { "https://jsonplaceholder.typicode.com/" + $0 }),
      ("bookmarks", ["all", "archive"].map { "https://bookmarks.example.com/v1/folders/\($0)/bookmarks" }),
      ("bookmarks-archive", ["https://bookmarks.example.com/v1/folders/archive/bookmarks"]),
    ] {
      let replay = try ReplayTransport(har: Self.sample(name), name: name)
      for url in urls { #expect(try await !replay.body(get(url)).isEmpty) }
      #expect(try HARReader(Self.sample(name), name: name).answers.count == urls.count)
    }
  }

  @Test("of the cocktails has drinks for every category that it lists")
  func cocktails() async throws {
    let replay = try ReplayTransport(har: Self.sample("cocktails"), name: "cocktails.har")
    let base = "https://www.thecocktaildb.com/api/json/v1/1/"
    let categories = try await Self.drinks(replay, base + "list.php?c=list").map { $0.at("strCategory") }
    #expect(categories.count == 11)
    for category in categories {
      let value = category.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let drinks = try await Self.drinks(replay, base + "filter.php?c=" + value)
      #expect((1...100).contains(drinks.count) && Set(drinks.map { $0.at("idDrink") }).count == drinks.count)
    }
  }

  private static func drinks(_ replay: ReplayTransport, _ url: String) async throws -> [[String: Any]] {
    let body = try JSONSerialization.jsonObject(with: Data(try await replay.body(get(url)))) as? [String: Any]
    return body?["drinks"] as? [[String: Any]] ?? []
  }
}
