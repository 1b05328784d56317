import Foundation
import Pagecat
import Testing

@testable import Example

@Suite("A server's menus, without a network")
struct MenuServiceTests {
  private struct Menu: PipelineTransport {
    func response(to request: PipelineRequest) async throws -> PipelineResponse {
      PipelineResponse(json: #"{"all_drinks":[{"strDrink":"\#(request.url.split(separator: "/").last ?? "")"}]}"#)
    }
  }

  private func service() throws -> (MenuService, folder: URL) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let spec = folder.appending(path: "menu.yaml")
    try Data("endpoint: https://bar.example.com/drinks/${input.category}\ncontentIdentifier: all_drinks\n".utf8)
      .write(to: spec)
    var options = PipelineOptions()
    options.transport = Menu()
    return (try MenuService(spec: spec, options: options), folder)
  }

  @Test("20 guests at once get what each asked for, at one rate")
  func guests() async throws {
    let (service, _) = try service()
    let begun = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for guest in 0..<20 {
        group.addTask {
          let drinks = try await service.drinks(for: [.init(category: "a\(guest)"), .init(category: "b")])
          #expect(drinks.map(\.strDrink) == ["a\(guest)", "b"])
        }
      }
      try await group.waitForAll()
    }
    // 40 requests at 500 a second.
    #expect(ContinuousClock.now - begun >= .milliseconds(75))
  }

  @Test("an export has a label in the service's log")
  func export() async throws {
    let (service, folder) = try service()
    let path = folder.appending(path: "drinks.ndjson").path
    let log = try #require(try await service.export([.init(category: "c")], to: path, labelled: "tuesday"))
    #expect(try #require(String(data: log, encoding: .utf8)).contains(#""label":"tuesday""#))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == #"{"strDrink":"c"}"# + "\n")
  }

  @Test("an envelope of a server with other names than Swift's is decoded by the server's own")
  func envelope() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.userInfo[.contentIdentifier] = "all_drinks"
    let data = Data(#"{"all_drinks":[{"str_drink":"d"}]}"#.utf8)
    #expect(
      try decoder.decode(NetworkingResult<[Bar.Category.Drink]>.self, from: data).content.map(\.strDrink) == ["d"])
  }
}
