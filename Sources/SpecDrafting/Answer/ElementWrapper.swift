// The member of a list's elements that has the record itself.

import JSONText

/// A member that all elements of a list have, and that is the record.
struct ElementWrapper: Hashable {
  let name: String
  /// Members beside the record, such as `kind`, that are lost with the wrapper; none for wrappers of a standard.
  let lost: [String]

  /// Members of standards: GraphQL, FHIR, Elasticsearch.
  private static let usual = ["node", "resource", "_source"]
  /// Members that APIs use for the record, but for parts of records as well.
  private static let ids = ["id", "uri", "uuid", "guid", "_id"]
  private static let likely: Set = ["data", "item", "record", "doc", "document", "object", "entity"]

  /// Finds a member that a standard names, or one of a likely name beside which the elements have nothing else, or only
  /// values that are the same in all of them.
  init?(around elements: [JSONValue]) {
    let table = MemberTable(elements)
    guard let name = Self.usual.first(where: table.objects.contains) ?? table.objects.first,
      table.objects.count == 1 || Self.usual.contains(name)
    else { return nil }
    let others = table.names.filter { $0 != name }
    guard !Self.usual.contains(name) else {
      self.init(name: name, lost: name == "_source" ? others : [])
      return
    }
    // The only member is the record if that has an id: an object of other objects is rather a part.
    if others.isEmpty, elements.allSatisfy({ element in Self.ids.contains { element[name]?[$0]?.isScalar == true } }) {
      self.init(name: name, lost: [])
      return
    }
    let isSame = Self.likely.contains(name.lowercased()) && (elements.count > 1 || others.isEmpty)
    guard isSame, others.allSatisfy(table.isConstant) else { return nil }
    self.init(name: name, lost: others)
  }

  private init(name: String, lost: [String]) {
    (self.name, self.lost) = (name, lost)
  }

  /// Returns the member that is an object in all elements, and most of their text or all of it.
  static func doubtful(in elements: [JSONValue]) -> String? {
    let size = elements.reduce(0) { $0 + $1.bytes.count }
    let table = MemberTable(elements)
    return table.names.count == 1 ? table.objects.first : table.objects.first { table.size(of: $0) * 2 > size }
  }
}

extension JSONValue {
  fileprivate var isScalar: Bool { kind == .string || kind == .number }
}
