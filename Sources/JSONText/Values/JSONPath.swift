// The path of a value inside another: content identifiers, captures and templates all use it.

/// Path from a value to a value inside it; the path without steps is the value itself.
package struct JSONPath: Hashable, Sendable, ExpressibleByArrayLiteral {
  package var steps: [JSONStep]

  package init(_ names: [String] = []) {
    steps = names.map { JSONStep($0) }
  }

  package init(steps: [JSONStep]) {
    self.steps = steps
  }

  package init(arrayLiteral names: String...) {
    self.init(names)
  }

  /// Creates the path to the root's member of that name.
  package init(rootKey name: String) {
    steps = [JSONStep(member: name)]
  }

  /// Parses a JSON Pointer (RFC 6901 §3): "" or a sequence of `/token`, `~1` for `/`, `~0` for `~`.
  ///
  /// Nil if it is not empty and does not begin with `/`, or if a `~` is followed by neither 0 nor 1.
  package init?(pointer: String) {
    guard pointer.isEmpty || pointer.utf8.first == UInt8(ascii: "/") else { return nil }
    steps = []
    for token in pointer.slashSeparated.dropFirst() {
      guard let name = Self.unescaped(token[...]) else { return nil }
      steps.append(JSONStep(name))
    }
  }

  /// Parses the path of content, a JSON Pointer in which a segment `*` is every element or member.
  package init?(contentPointer pointer: String) {
    self.init(pointer: pointer)
    steps = steps.map { $0.name == "*" ? .every : $0 }
  }

  /// True if the path leads to more than one value.
  package var hasEvery: Bool { steps.contains(where: \.isEvery) }

  /// JSON Pointer of this path, for messages.
  package var pointer: String {
    steps.reduce(into: "") { $0 += "/" + Self.escaped($1.name) }
  }

  private static func escaped(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
    return name.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
  }

  private static func unescaped(_ token: Substring) -> String? {
    var name = ""
    var rest = token.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "~" else {
        name.unicodeScalars.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "0": name.unicodeScalars.append("~")
      case "1": name.unicodeScalars.append("/")
      default: return nil
      }
    }
    return name
  }
}

extension String {
  /// Pieces between slashes, empty pieces too.
  ///
  /// A combining mark after a slash would form one character with the slash; the split by bytes keeps the mark in the
  /// piece.
  package var slashSeparated: [String] {
    utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }
}
