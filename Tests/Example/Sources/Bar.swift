import Pagecat

/// The drinks of a bar, as its API gives them.
struct Bar: Sendable {
  /// A category with its drinks.
  struct Category: Decodable, Hashable, Sendable {
    /// One drink.
    struct Drink: Codable, Hashable, Sendable {
      /// Name of the drink.
      let strDrink: String
    }

    /// Name of the category.
    let strCategory: String
    /// Its drinks.
    let items: [Drink]
  }

  private let pipeline: Pipeline
  private let options: PipelineOptions

  /// Creates a bar from a spec file.
  init(spec: String, options: PipelineOptions = PipelineOptions()) throws {
    pipeline = try Pipeline(contentsOf: spec)
    self.options = options
  }

  /// Fetches the categories, and shows how far that is.
  func categories(showing progress: ProgressModel) async throws -> [Category] {
    let run = pipeline.run(options)
    let events = run.events
    async let observed: Void = progress.observe(events)
    var all: [Category] = []
    for try await category in run.records(as: Category.self) { all.append(category) }
    await observed
    return all
  }

  /// Writes the categories to a file; a second call goes on where the first was cancelled or failed.
  func export(to path: String) async throws -> RunSummary {
    try await pipeline.run(options).export(to: path, resuming: true)
  }
}
