// The paths that a scanner follows, taken apart once for all texts.

/// The paths of the wanted values of a text: the content, and further captures.
package struct WantedPaths: Sendable {
  struct Step: Sendable {
    let name: [UInt8]
    let index: Int?
    let isEvery: Bool
  }

  /// Index of the content's path in `all`; the captures follow it.
  static let content = 0

  package let content: JSONPath
  package let captures: [JSONPath]
  /// The steps of each path.
  let all: [[Step]]
  /// Indices of the content's first and last `*`.
  let (firstEvery, lastEvery): (Int?, Int?)

  /// - Parameters:
  ///   - content: path of the content; the empty path is the whole text.
  ///   - captures: further wanted values, anywhere in the text (also inside the content). Of duplicate members the last
  ///     counts.
  package init(content: JSONPath, captures: [JSONPath] = []) {
    self.content = content
    self.captures = captures
    all = ([content] + captures).map { path in
      path.steps.map { Step(name: Array($0.name.utf8), index: $0.index, isEvery: $0.isEvery) }
    }
    (firstEvery, lastEvery) = (content.steps.firstIndex(where: \.isEvery), content.steps.lastIndex(where: \.isEvery))
  }
}
