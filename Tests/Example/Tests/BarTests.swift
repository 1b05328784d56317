import Foundation
import Pagecat
import Testing

@testable import Example

@Suite("A bar, without a network")
struct BarTests {
  private let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    .path

  @Test("the recording of an API stands in for it")
  @MainActor
  func replay() async throws {
    var options = PipelineOptions()
    options.replay = package + "/samples/cocktails.har"
    let progress = ProgressModel()
    let categories = try await Bar(spec: package + "/pipelines/cocktails.yaml", options: options)
      .categories(showing: progress)
    #expect(categories.map(\.strCategory).contains("Cocktail"))
    #expect(progress.text.hasPrefix("\(categories.count) records"))
  }

  @Test("an answer that the app does not know has its advice")
  func failure() async throws {
    struct Down: PipelineTransport {
      func response(to request: PipelineRequest) async throws -> PipelineResponse {
        PipelineResponse(status: 401, json: "{}")
      }
    }
    var options = PipelineOptions()
    options.transport = Down()
    let bar = try Bar(spec: package + "/pipelines/cocktails.yaml", options: options)
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    await #expect { try await bar.export(to: file) } throws: { advice(for: $0) == "please log in again" }
  }

  @Test("a user who leaves can come back")
  func cancellation() async throws {
    struct Slow: PipelineTransport {
      func response(to request: PipelineRequest) async throws -> PipelineResponse {
        try await Task.sleep(for: .seconds(3600))
        return PipelineResponse(json: "[]")
      }
    }
    var options = PipelineOptions()
    options.transport = Slow()
    let bar = try Bar(spec: package + "/pipelines/cocktails.yaml", options: options)
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let task = Task { try await bar.export(to: file) }
    task.cancel()
    await #expect { try await task.value } throws: { advice(for: $0) == "stopped; go on whenever you like" }
  }
}
