/// Keys of one map, to find duplicates.
///
/// Keys compare by their bytes: two spellings of `é` are equal strings to Swift, but different keys to JSON.
struct KeySet {
  /// Keys by text; each value lists the spellings that Swift takes for equal.
  private var keys: [String: [NodeKey]] = [:]

  /// Adds a key, or returns the offset of the equal key that was added before.
  mutating func insert(_ key: NodeKey) -> Int? {
    let spellings = keys[key.text] ?? []
    let first = spellings.first { $0.text.utf8.elementsEqual(key.text.utf8) }
    if let first { return first.range.lowerBound }
    keys[key.text] = spellings + [key]
    return nil
  }
}
