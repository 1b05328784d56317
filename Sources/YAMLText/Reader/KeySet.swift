/// Keys of one map, to find those that are there twice.
///
/// By their bytes: two spellings of `é` are equal strings to Swift, and different keys to JSON.
struct KeySet {
  /// The spellings of what is the same to Swift.
  private var keys: [String: [NodeKey]] = [:]

  /// Adds a key; gives the place of the one that was there already.
  mutating func insert(_ key: NodeKey) -> Int? {
    let spellings = keys[key.text] ?? []
    let first = spellings.first { $0.text.utf8.elementsEqual(key.text.utf8) }
    if let first { return first.range.lowerBound }
    keys[key.text] = spellings + [key]
    return nil
  }
}
