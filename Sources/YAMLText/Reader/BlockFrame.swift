// A block map or list that is being read.

struct BlockFrame {
  enum Kind { case list, map }

  let kind: Kind
  /// Column of the entries, from 0.
  let indent: Int
  let start: Int
  var items: [Node] = []
  var entries: [Node.Entry] = []
  var keys = KeySet()
  /// Key of the current entry.
  var key: NodeKey?

  init(_ kind: Kind, indent: Int, start: Int) {
    self.kind = kind
    self.indent = indent
    self.start = start
  }

  /// Adds the value of the current entry.
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
