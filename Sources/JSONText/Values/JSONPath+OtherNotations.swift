extension JSONPath {
  /// Returns the JSON Pointer that a path in another notation means: `/data/items` for `data.items`, `$.data.items[*]` and
  /// `data/items`.
  ///
  /// Nil for a pointer, and for a plain name. A `*` at the end is dropped, since the elements of a list are its
  /// records.
  package static func likelyPointer(for text: String) -> String? {
    guard !text.hasPrefix("/"), !text.hasPrefix("@"), text.contains(where: { "./[".contains($0) }) else { return nil }
    var names: [Substring] = text.split { "./[]".contains($0) }.map { $0.trimmingQuotes }
    if names.first == "$" { names.removeFirst() }
    if names.last == "*" { names.removeLast() }
    return names.isEmpty ? nil : "/" + names.joined(separator: "/")
  }
}

extension Substring {
  /// The text without the quotes around it: `["name"]`.
  fileprivate var trimmingQuotes: Substring {
    guard let quote = first, quote == "'" || quote == "\"", last == quote, count > 1 else { return self }
    return dropFirst().dropLast()
  }
}
