// Records in which a list was cut: the search in a page's lines.

package import JSONText
package import Wire

/// Finds records in which a list says that it was cut.
package struct CutLists: Sendable {
  private let search: NameSearch
  private let list: @Sendable (JSONValue) -> CutList?

  /// - Parameters:
  ///   - search: finds the records to look at.
  ///   - list: returns the first list of a record that was cut.
  package init(_ search: NameSearch, list: @escaping @Sendable (JSONValue) -> CutList?) {
    (self.search, self.list) = (search, list)
  }

  /// Returns the first such list of each record, with the offset of the record, in order.
  ///
  /// - Parameter lines: whole compact lines.
  func all(in lines: [UInt8]) -> [(start: Int, list: CutList)] {
    search.lines(of: lines).compactMap { line in
      list(JSONValue(validated: lines[line])).map { (line.lowerBound, $0) }
    }
  }

  /// Reports that a record still has the member with the list, after other members were left out.
  ///
  /// `keys` may have spelled its name otherwise.
  static func has(_ list: CutList, _ record: JSONValue) -> Bool {
    guard let name = list.path.first, record.kind == .object else { return true }
    return record.members.contains { plain($0.name) == plain(name) }
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
}
