import Diagnostics

/// Flow map or list that is being read.
struct FlowFrame {
  enum Await {
    /// An item or a key, or the end.
    case entry
    /// The colon of a map's key.
    case colon
    /// The value after a colon.
    case value
    /// A comma, or the end.
    case comma
  }

  let isMap: Bool
  let start: Int
  var awaits = Await.entry
  var items: [Node] = []
  var entries: [Node.Entry] = []
  var keys = KeySet()
  /// Key of the current entry; in a list, the key of `[key: value]`.
  var key: NodeKey?
  /// True if that key is plain, so that `{a:1}` may be a slip.
  var isPlainKey = false

  /// Nesting depth of the collection, blocks included.
  let depth: Int

  init(isMap: Bool, start: Int, depth: Int) {
    self.isMap = isMap
    self.start = start
    self.depth = depth
  }

  /// Nesting depth of the entries; `[key: value]` is a map in a list.
  var innerDepth: Int { isMap || key == nil ? depth : depth + 1 }

  var close: UInt8 { isMap ? .closeBrace : .closeBracket }

  mutating func take(_ node: Node) {
    awaits = .comma
    guard let key else {
      items.append(node)
      return
    }
    let entry = Node.Entry(key: key.text, keyRange: key.range, value: node)
    if isMap {
      entries.append(entry)
    } else {
      let end = max(node.range.upperBound, key.range.upperBound)
      items.append(Node(content: .map([entry]), range: key.range.lowerBound..<end))
    }
    self.key = nil
  }

  func node(end: Int) -> Node {
    Node(content: isMap ? .map(entries) : .list(items), range: start..<end)
  }
}
