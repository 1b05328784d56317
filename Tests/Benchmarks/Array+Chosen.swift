// The choice of some benches by words of their names.

extension Array {
  /// Returns the elements whose names contain the words, or all without words.
  ///
  /// Says the names if there is none: a bench that ran nothing has not passed.
  func chosen(by words: String, _ name: (Element) -> String) -> [Element] {
    let found = filter { words.isEmpty || name($0).contains(words) }
    if found.isEmpty {
      print("no bench has '\(words)' in its name; the names are:")
      for element in self { print("  \(name(element))") }
    }
    return found
  }
}
