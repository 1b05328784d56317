// The environment variables that a run may read.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Variables by name: given values, or those of the process, each read when it is needed.
package struct Environment: Sendable {
  private var values: [String: String]
  private var isOfProcess = false

  package init(_ values: [String: String]) {
    self.values = values
  }

  /// The environment of the process, which no code changes while the run reads it.
  package static let process: Environment = {
    var environment = Environment([:])
    environment.isOfProcess = true
    return environment
  }()

  package subscript(name: String) -> String? {
    get { values[name] ?? (isOfProcess ? getenv(name).map { String(cString: $0) } : nil) }
    set { values[name] = newValue }
  }

  /// Reports that the value of a variable is text; `subscript` gives U+FFFD for bytes that are not UTF-8.
  package func isText(_ name: String) -> Bool {
    guard values[name] == nil, isOfProcess, let value = getenv(name) else { return true }
    return String(validatingCString: value) != nil
  }

  /// Returns the value of a variable, empty if it is not set.
  package func text(of name: String) -> String { self[name] ?? "" }

  /// Returns the values of those names that are set.
  package func values(of names: Set<String>) -> [String: String] {
    names.reduce(into: [:]) { $0[$1] = self[$1] }
  }
}

extension Environment: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(Dictionary(elements) { $1 })
  }
}
