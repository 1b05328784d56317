// Connections inside GraphQL records that have more than came.

import JSONText

/// Counts records in which `"hasNextPage":true` stands.
struct NestedPages: Sendable {
  /// Looked for by its `N`, its `P` and the `t` of `true`. In compact text it is a member, never a part of a string: there, its quotes would have backslashes before them.
  private static let search = TokenSearch(Array("\"hasNextPage\":true".utf8), probes: (4, 8, 14))

  private(set) var recordCount = 0

  /// - Parameter lines: whole compact records, each with its LF.
  mutating func look(in lines: [UInt8]) {
    recordCount += Self.search.countLines(of: lines)
  }
}
