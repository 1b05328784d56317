// Everything that a page says beside its records, and that may be a hint about the set.

import JSONText
import Wire

/// A member of the envelope, or a header field.
struct HintCandidate: Sendable {
  enum Source: Hashable, Sendable {
    case body([String])
    case header(String)
    /// In an object that a header field has.
    case headerMember(String)

    var isHeader: Bool {
      switch self {
      case .body: false
      case .header, .headerMember: true
      }
    }

    /// The member as messages name it: by its path.
    var spelling: String {
      switch self {
      case .header(let name), .headerMember(let name): name
      case .body(let path): JSONPath(wildcards: path).description
      }
    }
  }

  let source: Source
  /// Name in the form in which names are compared.
  let name: String
  let value: JSONValue
  /// True if the value is on the way to the content, or in an object about pages only.
  let isPaging: Bool

  /// Names of the objects around the member; empty at the root and in headers.
  var parent: [String] {
    if case .body(let path) = source { path.dropLast() } else { [] }
  }

  /// The name of the object around it, as names are compared.
  var container: String { PageHint.normalized(parent.last ?? "") }
}

/// Members of the envelope that may be signs, found at most three levels deep beside the way to the content.
struct HintCandidates: Sendable {
  private static let levels = 3
  private static let most = 4_096

  private(set) var all: [HintCandidate] = []
  /// Members in elements at a `*` of the content's path: each element may have more.
  private(set) var inner: [HintCandidate] = []
  /// Arrays of links with relations: where they stand.
  private(set) var links: [(path: [String], value: JSONValue)] = []
  /// Number of records in the content, as far as it is known and as the server counts them.
  let recordCount: Int?
  /// Number of records in all elements at a `*` of the content's path.
  let innerCount: Int
  /// True if there is a list of records at all.
  let isList: Bool
  /// Path of the records, if the content is the whole envelope.
  private(set) var way: [String] = []
  /// True if the content is one object with an identity, so that its members are rather data.
  let isData: Bool

  /// URLs under `base`, by the paths of the objects that have them: next links beside them may be relative to them.
  private(set) var bases: [[String]: String] = [:]

  /// Names of totals that include what they count: `total_transactions`.
  private(set) var totalNames: Set<String> = []

  init(_ page: PageFacts, contentName: String? = nil) {
    let isBody = page.body.isSingle && page.body.outline.allSatisfy { $0.path.count == 1 }
    let envelope = isBody ? Self.list(in: page.body.outline) : nil
    isList = !page.body.isSingle || envelope != nil
    recordCount = page.body.isSingle ? envelope?.count : page.body.itemCount
    innerCount = page.body.recordCount
    way = envelope?.path ?? []
    let identities: Set = ["id", "uuid", "guid", "key", "name", "title", "number", "sku", "slug"]
    isData = isBody && page.body.outline.contains { identities.contains(PageHint.normalized($0.path.last ?? "")) }
    totalNames = Self.totalNames(of: PageHint.normalized(contentName ?? way.last ?? ""))
      .union(Self.counts(of: Self.subject(of: page.url.text)))
    for member in page.body.outline where member.isWhole && !member.isInner && member.path != way {
      add(member.path, JSONValue(validated: member.text[...]), isPaging: true, level: 0)
    }
    let outer = all
    all = []
    for member in page.body.outline where member.isWhole && member.isInner {
      add(member.path, JSONValue(validated: member.text[...]), isPaging: true, level: 0)
    }
    (inner, all) = (all, outer)
    for field in page.fields.all where Self.isWanted(field.name) {
      let text = field.value.text
      add(.header(field.name), Self.headerName(field.name), Self.value(of: text), isPaging: true)
      guard text.hasPrefix("{"), let object = try? JSONValue(parsing: Array(text.utf8)) else { continue }
      for member in object.members {
        add(.headerMember(field.name), PageHint.normalized(member.name), member.value, isPaging: true)
      }
    }
  }

  // MARK: Members

  private mutating func add(_ path: [String], _ value: JSONValue, isPaging: Bool, level: Int) {
    let name = PageHint.normalized(path.last ?? "")
    add(.body(path), name, value, isPaging: isPaging)
    switch value.kind {
    case .array where path != way:
      if ["links", "link"].contains(name), isPaging { links.append((path, value)) }
    case .object:
      if let base = value["base"]?.string, base.contains("://") { bases[path] = base }
      let isWay = path.count < way.count && way.starts(with: path)
      // If the whole text is a list, an object among its elements can only describe the content beside it.
      let isContainer = PageHint.containers.contains(name) || path.count == 1 && Int(path[0]) != nil
      // A list beside the content is a different list.
      guard isWay || level < Self.levels, isWay || isContainer || !value.holdsRecords else { return }
      for member in value.members {
        add(
          path + [member.name], member.value, isPaging: isWay || isPaging && isContainer,
          level: isWay ? level : level + 1)
      }
    default: break
    }
  }

  private mutating func add(_ source: HintCandidate.Source, _ name: String, _ value: JSONValue, isPaging: Bool) {
    guard all.count < Self.most, PageHint.isKnown(name) || totalNames.contains(name) else { return }
    all.append(HintCandidate(source: source, name: name, value: value, isPaging: isPaging))
  }

  /// The first array of objects in content that may be a whole envelope, at most three objects deep.
  private static func list(in outline: [EnvelopeMember]) -> (path: [String], count: Int?)? {
    if let cut = outline.first(where: { !$0.isWhole && $0.text.starts(with: "[{".utf8) }) { return (cut.path, nil) }
    var level = outline.filter(\.isWhole).map { (path: $0.path, value: JSONValue(validated: $0.text[...])) }
    for _ in 0...levels {
      if let list = level.first(where: { $0.value.isRecords && !isLinks($0.path) }) {
        return (list.path, list.value.elements.reduce(0) { count, _ in count + 1 })
      }
      level = level.filter { $0.value.kind == .object }.flatMap { object in
        object.value.members.prefix(most).map { (object.path + [$0.name], $0.value) }
      }
    }
    return nil
  }

  /// The word for the records in a URL: `contacts` in `/v3/contacts/search`.
  private static func subject(of url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst(2)
    let words = path.map { PageHint.normalized($0.prefix { $0 != "." }) }.filter { $0.utf8.allSatisfy { $0 > 0x39 } }
    let verbs: Set = ["search", "query", "list", "find", "filter", "all", "get", "export"]
    return words.last { !verbs.contains($0) } ?? ""
  }

  private static func totalNames(of content: String) -> Set<String> {
    guard content.utf8.count > 2 else { return [] }
    return counts(of: content).union(
      [content, one(of: content)].flatMap { ["total\($0)", "\($0)total", "total\($0)count"] })
  }

  /// Names that give a number of things; `total_usage` may be a sum.
  private static func counts(of things: String) -> Set<String> {
    guard things.utf8.count > 2 else { return [] }
    return Set([things, one(of: things)].flatMap { ["\($0)count", "numberof\($0)", "num\($0)"] })
  }

  private static func one(of things: String) -> String { things.hasSuffix("s") ? String(things.dropLast()) : things }

  private static func isLinks(_ path: [String]) -> Bool {
    ["links", "link"].contains(PageHint.normalized(path.last ?? ""))
  }

  // MARK: Header fields

  private static func isWanted(_ name: String) -> Bool {
    let name = name.lowercased()
    if name.hasSuffix("-total") { return true }
    return ["x-", "pagination-", "paging-", "next-", "total-", "collection-", "opc-", "cb-", "sforce-"].contains {
      name.hasPrefix($0)
    }
  }

  /// Returns a header's name as a member's: `X-WP-TotalPages` is `totalpages`, `Pagination-Count` is `count`.
  private static func headerName(_ name: String) -> String {
    var name = name.lowercased()[...]
    for prefix in ["x-", "wp-", "nomad-", "pagination-", "paging-", "meta-", "list-", "opc-"]
    where name.hasPrefix(prefix) { name = name.dropFirst(prefix.count) }
    return PageHint.normalized(name)
  }

  /// Returns a header's value: a number if the text is one, otherwise a text.
  private static func value(of text: String) -> JSONValue {
    if let number = Int(text.utf8.count < 18 ? text : "") { return JSONValue(number) }
    return JSONValue(text)
  }
}

extension JSONValue {
  /// True if the value is an array that begins with an object.
  fileprivate var isRecords: Bool { bytes.starts(with: "[{".utf8) }

  /// True if the value is an object with records of its own.
  fileprivate var holdsRecords: Bool {
    members.contains { $0.value.isRecords && !["links", "link"].contains(PageHint.normalized($0.name)) }
  }
}
