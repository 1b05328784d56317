// Where a value sits inside another: the shared currency of content identifiers, captures and templates.

/// A way from a value to one inside it; no steps at all is the value itself.
package struct JSONPath: Hashable, Sendable, ExpressibleByArrayLiteral {
  package var steps: [JSONStep]

  package init(_ names: [String] = []) {
    steps = names.map { JSONStep($0) }
  }

  package init(arrayLiteral names: String...) {
    self.init(names)
  }

  /// The member of that name at the root.
  package init(rootKey name: String) {
    steps = [JSONStep(member: name)]
  }

  /// The path that a JSON Pointer spells (RFC 6901 §3): "" or a sequence of `/token`, `~1` for `/`, `~0` for `~`.
  ///
  /// Nil when it is neither empty nor begins with `/`, or has a `~` that is followed by neither 0 nor 1.
  package init?(pointer: String) {
    guard pointer.isEmpty || pointer.utf8.first == UInt8(ascii: "/") else { return nil }
    steps = []
    for token in pointer.slashSeparated.dropFirst() {
      guard let name = Self.unescaped(token[...]) else { return nil }
      steps.append(JSONStep(name))
    }
  }

  /// The way to content that a JSON Pointer spells, in which a segment `*` is every element or member.
  package init?(contentPointer pointer: String) {
    self.init(pointer: pointer)
    steps = steps.map { $0.name == "*" ? .every : $0 }
  }

  /// Whether it leads to more than one place.
  package var hasEvery: Bool { steps.contains(where: \.isEvery) }

  /// The JSON Pointer of this path, for messages.
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
  /// The pieces between slashes, empty ones too. A mark that follows a slash makes one character of both, and is still what
  /// comes behind it.
  package var slashSeparated: [String] {
    utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }
}
