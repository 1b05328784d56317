// The members of a list's elements by their names, so that wide elements take linear time.

import JSONText

/// The members of several elements.
struct MemberTable {
  /// All names, in the order of their first occurrence.
  private(set) var names: [String] = []
  /// Names of members that are objects in all elements.
  private(set) var objects: [String] = []
  /// The members of each element; the last of duplicates counts.
  private let rows: [[String: JSONValue]]

  init(_ elements: [JSONValue]) {
    var known: Set<String> = []
    var rows: [[String: JSONValue]] = []
    for element in elements {
      var row: [String: JSONValue] = [:]
      for member in element.members {
        let name = member.name
        if known.insert(name).inserted { names.append(name) }
        row[name] = member.value
      }
      rows.append(row)
    }
    self.rows = rows
    // A name that the first element lacks is not in all of them.
    let possible = names.prefix(rows.first?.count ?? 0)
    objects = possible.filter { name in rows.allSatisfy { $0[name]?.kind == .object } }
  }

  /// Reports that a member has the same text in all elements; a missing member has the empty text.
  func isConstant(_ name: String) -> Bool {
    let first = rows.first?[name]?.bytes ?? []
    return rows.allSatisfy { ($0[name]?.bytes ?? []) == first }
  }

  /// Returns the size of the members of this name, in bytes.
  func size(of name: String) -> Int { rows.reduce(0) { $0 + ($1[name]?.bytes.count ?? 0) } }
}
