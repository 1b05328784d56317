import YAMLText

// A draft as the first of two steps.

extension SpecDraft {
  /// Returns the lines of a spec with the draft as its first step.
  ///
  /// - Parameters:
  ///   - next: the endpoint of the second step.
  ///   - keys: other lines of the second step.
  func steps(then next: String, _ keys: [String] = []) -> [String] {
    var defaults = SpecDraft()
    (defaults.headers, defaults.removedHeaders, defaults.auth) = (headers, removedHeaders, auth)
    var first = self
    (first.headers, first.removedHeaders, first.auth, first.comments) = ([], [], nil, [:])
    // Credentials beside 'steps' belong to the origin of a 'base'.
    let parts = endpoint.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    let rest = (parts.dropFirst(2).first ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let base = "\(parts[0])//\(rest.first ?? "")/"
    func relative(_ url: String) -> String {
      guard url.hasPrefix(base) else { return url }
      return url.count == base.count ? "./" : String(url.dropFirst(base.count))
    }
    first.endpoint = relative(endpoint)
    let shared = defaults.file.split(separator: "\n").filter { !$0.hasPrefix("endpoint:") }.map(String.init)
    let own = first.file.split(separator: "\n").filter { !$0.hasPrefix("#") }
    return ["base: \(YAMLScalar.text(base))"] + shared + ["steps:"]
      + own.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
      + ["  - endpoint: \(YAMLScalar.text(relative(next)))"] + keys.map { "    \($0)" }
  }
}
