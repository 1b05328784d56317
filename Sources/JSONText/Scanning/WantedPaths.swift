// The paths that a scanner follows, taken apart once for all texts.

/// The paths of the wanted values of a text: the content, and further captures.
package struct WantedPaths: Sendable {
  struct Step: Sendable {
    let name: [UInt8]
    let index: Int?
    let isEvery: Bool
    let choices: [Choice]
  }

  struct Choice: Sendable {
    let name: [UInt8]
    let index: Int?
    /// The whole path as JSON text.
    let path: [UInt8]
    let isOptional: Bool
  }

  /// Index of the content's path in `all`; the captures follow it.
  static let content = 0

  package let content: JSONPath
  package let captures: [JSONPath]
  /// The steps of each path.
  let all: [[Step]]
  /// Index of the content's last `*`, also of one that stands for several names.
  let lastEvery: Int?
  /// Indices of the content's first and last `*` that stand for every element or member.
  let (firstElement, lastElement): (Int?, Int?)

  /// - Parameters:
  ///   - content: path of the content; the empty path is the whole text.
  ///   - captures: further wanted values, anywhere in the text (also inside the content). Of duplicate members the last
  ///     counts.
  package init(content: JSONPath, captures: [JSONPath] = []) {
    self.content = content
    self.captures = captures
    all = ([content] + captures).map { path in
      path.steps.map { step in
        let choices = step.choices.map {
          Choice(
            name: Array($0.step.name.utf8), index: $0.step.index, path: Array(JSONValue($0.path).bytes),
            isOptional: $0.isOptional)
        }
        return Step(name: Array(step.name.utf8), index: step.index, isEvery: step.isEvery, choices: choices)
      }
    }
    lastEvery = content.steps.lastIndex(where: \.isEvery)
    let elements = content.steps.indices.filter { content.steps[$0].isEvery && content.steps[$0].choices.isEmpty }
    (firstElement, lastElement) = (elements.first, elements.last)
  }
}
