// Places of an answer that may have the records.

import Diagnostics
import JSONText
import Primitives

/// A list in an answer.
struct ContentCandidate: Hashable {
  /// Names on the way from the root; empty for the root itself.
  let names: [String]
  let count: Int
  /// Size in bytes.
  let size: Int
  let hasObjects: Bool
  /// True if the URL is named after the list.
  private let isNamed: Bool
  /// True if the list is not content, judged by its name.
  let isOther: Bool
  /// For a map of records, the member that takes the name of each.
  private(set) var nameMember: String?
  /// Member that has the record itself: GraphQL's `edges` have `node`, FHIR's `entry` has `resource`.
  let wrapper: ElementWrapper?
  /// Number of values in each element, if the elements are lists of the same length; otherwise 0.
  let width: Int
  /// Path to the names of the values, if the elements are rows of a table.
  var columns: String?

  /// All lists of an answer, the likeliest first.
  ///
  /// Lists of objects come before other lists. Within each kind the order is: the list that the URL is named after,
  /// names that APIs use for content, the longest list. Lists that are never content come last: links, warnings, names
  /// of columns.
  ///
  /// - Parameter resource: the last name in the URL's path.
  static func all(in body: JSONValue, of resource: String = "") -> [ContentCandidate] {
    var found: [ContentCandidate] = []
    var level = [(names: [String](), value: body)]
    for _ in 0...mostSteps {
      var next: [(names: [String], value: JSONValue)] = []
      for (names, value) in level {
        switch value.kind {
        case .array: found.append(ContentCandidate(names, value, of: resource))
        case .object:
          // A path can't name a member `*`.
          next += value.members.prefix(mostMembers).filter { $0.name != "*" }.map { (names + [$0.name], $0.value) }
        default: break
        }
      }
      level = next
    }
    return found.enumerated().sorted { a, b in
      a.element.rank == b.element.rank ? a.offset < b.offset : a.element.rank.lexicographicallyPrecedes(b.element.rank)
    }.map(\.element)
  }

  /// Returns the only map of an answer whose members are several objects with the same names: records by their names.
  static func map(in body: JSONValue) -> ContentCandidate? {
    let containers = [([String](), body)] + body.members.prefix(mostMembers).map { ([$0.name], $0.value) }
    let maps = containers.filter { $0.1.likeMembers >= ($0.1.hasDataNames ? leastOfDates : leastOfMap) }
    return maps.count == 1 ? ContentCandidate(ofMap: maps[0].0, maps[0].1) : nil
  }

  /// Returns the object that is a record itself, and in which a list is only a part of it; nil if the list has the
  /// records.
  ///
  /// Such an object has an `id`, or the list is one of several columns of values.
  static func record(in body: JSONValue, around list: ContentCandidate) -> ContentCandidate? {
    guard !list.isUsual, !list.isNamed, list.wrapper == nil else { return nil }
    var (holder, names) = (body, [String]())
    for name in list.names {
      if holder.kind == .object, holder["id"].map({ [.string, .number].contains($0.kind) }) == true {
        return ContentCandidate(ofRecord: names)
      }
      if name == list.names.last, !list.hasObjects, list.count > 1, holder.columnCount(list.count) > 1 {
        return ContentCandidate(ofRecord: [])
      }
      guard let value = holder[name] else { return nil }
      (holder, names) = (value, names + [name])
    }
    return nil
  }

  /// Returns the list whose elements are rows of a table, with the path to the names of their values; nil if there
  /// is no list with as many names.
  static func table(of candidates: [ContentCandidate], in body: JSONValue) -> ContentCandidate? {
    let headers = candidates.filter { headerNames.contains(($0.names.last ?? "").lowercased()) }
    for rows in candidates where rows.width > 0 && !rows.names.isEmpty {
      for header in headers where header.count == rows.width && header.names != rows.names {
        guard let steps = header.nameMember(in: body) else { continue }
        var table = rows
        table.columns = (steps.map { JSONPath(header.names).every.member($0) } ?? JSONPath(header.names)).description
        return table
      }
    }
    return nil
  }

  /// Returns the member of each of a table's columns that has its name, or nil inside for columns that are names.
  ///
  /// Nil if the names are not different texts.
  private func nameMember(in body: JSONValue) -> String?? {
    guard let list = names.reduce(Optional(body), { $0?[$1] }) else { return nil }
    for member in [nil, "name", "columnName", "column_name", "fieldName", "field", "label", "title"] {
      let texts = list.elements.map { element in member.map { element[$0]?.string } ?? element.string }
      guard texts.allSatisfy({ $0?.isEmpty == false }), Set(texts).count == texts.count else { continue }
      return .some(member)
    }
    return nil
  }

  /// Reports that the first of the rows may have the names of the values: different texts, in a list of rows.
  func mayBeginWithNames(in body: JSONValue) -> Bool {
    guard count > 1, let list = names.reduce(Optional(body), { $0?[$1] }) else { return false }
    let first = list.elements.first { _ in true }
    let texts = first?.elements.map(\.string) ?? []
    return first?.kind == .array && !texts.isEmpty && texts.allSatisfy { $0?.isEmpty == false }
      && Set(texts).count == texts.count && list.elements.allSatisfy { $0.kind == .array }
  }

  /// Returns these rows with the names of the first one; nil if nothing shows that it has the names.
  ///
  /// In some column, a word stands above numbers, some of which may be missing.
  func namedByFirstRow(in body: JSONValue) -> ContentCandidate? {
    guard width > 0, mayBeginWithNames(in: body), let list = names.reduce(Optional(body), { $0?[$1] }) else {
      return nil
    }
    let rows = list.elements.prefix(Self.mostRows).map { Array($0.elements) }
    let isNamed = (0..<width).contains { column in
      let values = rows.map { $0[column] }
      let below = values.dropFirst().filter { $0.kind != .null && $0.string?.isEmpty != true }
      return !values[0].spellsNumber && !below.isEmpty && below.allSatisfy(\.spellsNumber)
    }
    guard isNamed else { return nil }
    var table = self
    table.columns = JSONPath(names + ["0"]).description
    return table
  }

  /// Number of rows that are looked at for numbers.
  private static let mostRows = 1_000

  /// Names of lists that describe the columns of a table.
  private static let headerNames: Set = [
    "columns", "cols", "columnnames", "column_names", "columnheaders", "fields", "fieldnames", "field_names", "header",
    "headers", "meta", "metadata", "schema", "rowtype", "names", "variables",
  ]

  /// Fewer members may be the parts of one record, such as a smallest and a largest value.
  private static let leastOfMap = 5
  /// Fewest members of a map whose names are dates or numbers.
  private static let leastOfDates = 2

  /// Limit for the steps to a list.
  private static let mostSteps = 4
  /// A map of thousands of entries is data, not an envelope.
  private static let mostMembers = 200
  private static let usualNames: Set = [
    "data", "items", "results", "records", "values", "entries", "hits", "rows", "objects", "edges", "nodes", "value",
    "content", "list", "elements", "resources", "collection", "features",
  ]

  /// Names of lists beside the content, whatever their elements are.
  private static let otherNames: Set = [
    "links", "link", "errors", "error", "warnings", "messages", "columns", "fields", "facets", "aggregations", "schema",
    "_links", "usererrors",
  ]

  /// Returns the only object of an answer that has nothing else in it but empty values; nil if there is none.
  static func onlyObject(in body: JSONValue) -> ContentCandidate? {
    var (object, names) = (body, [String]())
    while names.count < mostSteps {
      let members = object.members.filter { $0.value.kind != .null && $0.value.bytes.count > 2 }
      guard members.count == 1, let member = members.first, member.value.kind == .object, member.name != "*",
        !otherNames.contains(member.name.lowercased())
      else { break }
      (object, names) = (member.value, names + [member.name])
    }
    return names.isEmpty ? nil : ContentCandidate(ofRecord: names)
  }

  private init(_ names: [String], _ list: JSONValue, of resource: String) {
    let elements = list.elements.prefix(Self.mostElements)
    self.names = names
    count = list.elements.reduce(0) { count, _ in count + 1 }
    size = list.bytes.count
    let name = (names.last ?? "").lowercased()
    isNamed = !name.isEmpty && name == resource.lowercased()
    isOther = !isNamed && Self.otherNames.contains(name)
    hasObjects = count > 0 && elements.allSatisfy { $0.kind == .object }
    wrapper = hasObjects ? ElementWrapper(around: Array(elements)) : nil
    let lengths = Set(elements.map { $0.kind == .array ? $0.elements.reduce(0) { count, _ in count + 1 } : 0 })
    width = lengths.count == 1 ? lengths.first ?? 0 : 0
  }

  private init(ofRecord names: [String]) {
    (self.names, count, size, hasObjects) = (names, 1, 0, true)
    (isNamed, isOther, wrapper, width) = (false, false, nil, 0)
  }

  private init(ofMap names: [String], _ map: JSONValue) {
    self.names = names
    count = map.likeMembers
    size = map.bytes.count
    (hasObjects, isNamed, isOther, wrapper, width) = (true, false, false, nil, 0)
    nameMember = Self.nameMember(of: map)
  }

  /// Returns a member for the name of each record of a map, which the records don't have.
  static func nameMember(of map: JSONValue) -> String {
    let taken = map.members.first { _ in true }?.value.members.map(\.name) ?? []
    return ["key", "name"].first { !taken.contains($0) } ?? "_key"
  }

  /// Number of elements that are examined to tell the kind of a list.
  private static let mostElements = 1000

  /// True if the list has a name that APIs use for content, or none.
  var isUsual: Bool { Self.usualNames.contains((names.last ?? "data").lowercased()) }

  private var rank: [Int] {
    [isOther ? 1 : 0, hasObjects ? 0 : 1, isNamed ? 0 : 1, isUsual ? 0 : 1, -count, names.count, -size]
  }

  /// The value of `contentIdentifier`; nil for the root, which needs none.
  var identifier: String? {
    let path = JSONPath(names)
    if nameMember != nil { return path.every.description }
    guard !names.isEmpty || wrapper != nil else { return nil }
    return (wrapper.map { path.every.member($0.name) } ?? path).description
  }

  /// `20 objects under 'coins'`.
  var text: String {
    let noun = hasObjects ? "object" : "element"
    return "\(count.counted(noun)) \(location)"
  }

  /// `under 'data.items'`, or `at the root`.
  var location: String { names.isEmpty ? "at the root" : "under '\(JSONPath(names))'" }
}

extension JSONValue {
  /// Number of members that are lists of this length.
  fileprivate func columnCount(_ length: Int) -> Int {
    members.reduce(0) { $0 + ($1.value.kind == .array && Array($1.value.elements).count == length ? 1 : 0) }
  }

  /// True if the names of the members are dates or numbers: data rather than names.
  fileprivate var hasDataNames: Bool {
    members.allSatisfy { member in
      let digits = member.name.utf8.count { $0.isDigit }
      return digits > 0 && member.name.utf8.allSatisfy { $0.isDigit || "-:. TZ/".utf8.contains($0) }
    }
  }

  /// True if the value is an object of several numbers, such as prices by currency.
  var isMapOfNumbers: Bool {
    kind == .object && members.reduce(0) { count, _ in count + 1 } > 2
      && members.allSatisfy { $0.value.kind == .number }
  }

  /// Number of members if all are objects that have the same names; 0 otherwise.
  var likeMembers: Int {
    guard kind == .object, let first = members.first(where: { _ in true }) else { return 0 }
    let names = Set(first.value.members.map(\.name))
    var count = 0
    for member in members {
      guard member.value.kind == .object, Set(member.value.members.map(\.name)) == names else { return 0 }
      count += 1
    }
    return names.isEmpty ? 0 : count
  }
}

extension JSONValue {
  /// True for a number, and for a text that spells one.
  fileprivate var spellsNumber: Bool { kind == .number || string.map { Array($0.utf8)[...].isJSONNumber } == true }
}

// The member of a list's elements that has the record itself.

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

// The members of a list's elements by their names, so that wide elements take linear time.

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
