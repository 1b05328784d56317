import PipelineSpec
import Testing

@Suite("Names of other tools")
struct BorrowedNameTests {
  @Test("Every name of another tool stands for keys that exist, and is none itself where these stand")
  func table() {
    let tables = [
      SpecKeys.file + SpecKeys.job, SpecKeys.pages, SpecKeys.auth, SpecKeys.oauth2, SpecKeys.incremental,
      SpecKeys.retry,
      SpecKeys.basic, SpecKeys.poll, SpecKeys.span, SpecKeys.condition,
    ].map { $0.map(\.name) }
    for (name, keys) in BorrowedName.table {
      for key in keys.split(separator: " ").map(String.init) {
        #expect(tables.contains { $0.contains(key) && !$0.contains(name) }, "\(name): \(key)")
      }
    }
  }
}
