// Members of a record and of the objects in it, found in one pass over the tokens.

import JSONText

/// Paths into a record, each with something to do at its end.
struct MemberTree<Leaf: Sendable>: Sendable {
  enum Node: Sendable {
    case leaf(Leaf)
    /// Number of the level of the member's own members.
    case level(Int)
  }

  /// Members of one object that are looked for.
  struct Level: Sendable {
    let names: NameTable
    let nodes: [Node]
  }

  /// The level of the record itself is the last.
  private(set) var levels: [Level] = []
  /// Depth of records at which token positions are needed.
  let depth: Int

  /// Creates the tree; where a path leads through the end of another, that one's leaf counts.
  init(_ paths: [(path: JSONPath, leaf: Leaf)]) {
    depth = paths.map(\.path.steps.count).max() ?? 0
    _ = add(paths.map { (names: $0.path.steps.map(\.name)[...], leaf: $0.leaf) })
  }

  /// Adds the level of these paths after those of its members, and returns its number.
  private mutating func add(_ paths: [(names: ArraySlice<String>, leaf: Leaf)]) -> Int {
    var names: [String] = []
    for name in paths.compactMap(\.names.first) where !names.contains(name) { names.append(name) }
    var nodes: [Node] = []
    for name in names {
      let rests = paths.filter { $0.names.first == name }.map { (names: $0.names.dropFirst(), leaf: $0.leaf) }
      let end = rests.first { $0.names.isEmpty }
      nodes.append(end.map { .leaf($0.leaf) } ?? .level(add(rests)))
    }
    levels.append(Level(names: NameTable(names), nodes: nodes))
    return levels.count - 1
  }

  /// Returns the members of an object that a level names, in order, and the token number of its last bracket.
  func members(of level: Int, openedBy opening: Int, _ record: TokenedRecord) -> (
    found: [(member: TokenIndexedMember, node: Node)], closing: Int
  ) {
    var found: [(member: TokenIndexedMember, node: Node)] = []
    let closing = levels[level].names.forEachMember(openedBy: opening, of: record) { member, number, _ in
      found.append((member, levels[level].nodes[number]))
    }
    return (found, closing)
  }
}
