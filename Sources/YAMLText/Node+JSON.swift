// Writes a node as JSON text.

package import JSONText

extension Node {
  /// The value as compact JSON.
  package var json: JSONValue {
    var writer = NodeWriter()
    writer.write(self)
    return JSONValue(validated: writer.bytes[...])
  }
}

/// Writes nodes without recursion: deep nodes could overflow a small stack.
private struct NodeWriter {
  private enum Rest {
    case list(ArraySlice<Node>)
    case map(ArraySlice<Node.Entry>)
  }

  var bytes: [UInt8] = []
  private var stack: [Rest] = []

  mutating func write(_ node: Node) {
    begin(node)
    while let rest = stack.popLast() {
      switch rest {
      case .list(let items): next(items)
      case .map(let entries): next(entries)
      }
    }
  }

  private mutating func begin(_ node: Node) {
    switch node.content {
    case .null: bytes += "null".utf8
    case .boolean(let value): bytes += (value ? "true" : "false").utf8
    case .number(let text): bytes += text.utf8
    case .string(let text): bytes += text.quotedJSON
    case .list(let items):
      bytes.append(UInt8(ascii: "["))
      stack.append(.list(items[...]))
    case .map(let entries):
      bytes.append(UInt8(ascii: "{"))
      stack.append(.map(entries[...]))
    }
  }

  private mutating func next(_ items: ArraySlice<Node>) {
    guard let item = items.first else {
      bytes.append(UInt8(ascii: "]"))
      return
    }
    separate(isFirst: items.startIndex == 0)
    stack.append(.list(items.dropFirst()))
    begin(item)
  }

  private mutating func next(_ entries: ArraySlice<Node.Entry>) {
    guard let entry = entries.first else {
      bytes.append(UInt8(ascii: "}"))
      return
    }
    separate(isFirst: entries.startIndex == 0)
    bytes += entry.key.quotedJSON
    bytes.append(UInt8(ascii: ":"))
    stack.append(.map(entries.dropFirst()))
    begin(entry.value)
  }

  private mutating func separate(isFirst: Bool) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
  }
}
