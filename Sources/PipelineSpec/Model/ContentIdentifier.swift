// Where the content is in a body: one path, or those of several lists.

package import JSONText

/// The path of the content, or several paths that differ in one name; a value may be a piece of a name.
package struct ContentIdentifier: Hashable, Sendable {
  package struct Path: Hashable, Sendable {
    package let template: Template
    /// True if an answer without the content has no records (`data.items?`).
    package let isOptional: Bool

    package init(_ template: Template, isOptional: Bool = false) {
      (self.template, self.isOptional) = (template, isOptional)
    }
  }

  package let paths: [Path]

  package init(_ paths: [Path]) {
    self.paths = paths
  }

  package var templates: [Template] { paths.map(\.template) }

  /// True if an answer without any of the content has no records.
  package var isOptional: Bool { paths.allSatisfy(\.isOptional) }

  /// The path with a NUL for each value; nil if it is not a path.
  package var contentShape: JSONPath? {
    let shapes = paths.compactMap { path in path.template.contentShape.map { ($0, path.isOptional) } }
    guard shapes.count == paths.count else { return nil }
    return shapes.count == 1 ? shapes[0].0 : JSONPath(anyOf: shapes)
  }
}
