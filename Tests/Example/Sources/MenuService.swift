import Foundation
import Pagecat

/// The menus of a bar, as a server gives them to its guests: many at once, over few connections, at one rate.
struct MenuService: Sendable {
  /// A category that a guest asks for.
  struct Wish: Codable, Sendable {
    /// Name of the category.
    let category: String
  }

  private let pipeline: Pipeline
  private let options: PipelineOptions

  /// Creates a service from the URL of a spec file; all runs share one client.
  init(spec: URL, options: PipelineOptions = PipelineOptions()) throws {
    pipeline = try Pipeline(contentsOf: spec)
    var options = options
    options.client = PipelineClient()
    options.rate = "500/s"
    self.options = options
  }

  /// Answers one guest.
  func drinks(for wishes: [Wish]) async throws -> [Bar.Category.Drink] {
    var drinks: [Bar.Category.Drink] = []
    for try await drink in pipeline.run(options, input: wishes).records(as: Bar.Category.Drink.self) {
      drinks.append(drink)
    }
    return drinks
  }

  /// Writes the drinks of all categories to a file, unless another guest's export is writing it.
  ///
  /// - Returns: the summary as JSON for the service's log; nil if the file is being written.
  func export(_ wishes: [Wish], to path: String, labelled label: String) async throws -> Data? {
    var options = options
    options.label = label
    do {
      return try JSONEncoder().encode(try await pipeline.run(options, input: wishes).export(to: path))
    } catch NetworkingError.busy {
      return nil
    }
  }
}
