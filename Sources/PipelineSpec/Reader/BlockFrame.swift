// A block map or list that is being read.

/// A key, and where it stands.
struct NodeKey {
  let text: String
  let range: Range<Int>
}

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

struct BlockFrame {
  enum Kind { case list, map }

  let kind: Kind
  /// The column of its entries, from 0.
  let indent: Int
  let start: Int
  var items: [Node] = []
  var entries: [Node.Entry] = []
  var keys = KeySet()
  /// The key whose value is being read.
  var key: NodeKey?

  init(_ kind: Kind, indent: Int, start: Int) {
    self.kind = kind
    self.indent = indent
    self.start = start
  }

  /// Takes the value of the entry that was begun.
  mutating func take(_ node: Node) {
    switch kind {
    case .list: items.append(node)
    case .map:
      guard let key else { return }
      entries.append(Node.Entry(key: key.text, keyRange: key.range, value: node))
      self.key = nil
    }
  }

  var node: Node {
    let end = kind == .list ? items.last?.range.upperBound : entries.last?.value.range.upperBound
    return Node(content: kind == .list ? .list(items) : .map(entries), range: start..<max(start, end ?? start))
  }
}
