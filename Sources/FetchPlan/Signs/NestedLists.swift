// Lists inside records that were cut: a second step must fetch the rest.

import Diagnostics
package import JSONText
import PipelineSpec
package import Wire

/// Finds lists inside a record that say that they have more: `"lines": {"data": […], "has_more": true}`.
///
/// The names are those of `PageHint`. Beside a list in a record they mean less than in an envelope, since a record has
/// data of all kinds. So a total counts only under a name that leaves no doubt, or beside the place or size of a page.
package enum NestedLists {
  private static let deepest = 16
  private static let beginnings = ["ha", "is", "mo", "ne", "od", "to", "tr"]

  /// Finds the records to look at.
  ///
  /// Other names are too frequent in data to be looked for in every record.
  package static let search = NameSearch(
    PageHint.all.compactMap { sign in
      // What says that a whole answer is a part stands in the envelope.
      if case .partial = sign.meaning { return nil }
      guard beginnings.contains(String(sign.name.prefix(2))) else { return nil }
      return (sign.name, values(of: sign.meaning))
    }, ending: (name: "truncated", values: [.yes, .text]))

  private static func values(of meaning: PageHint.Meaning) -> NameSearch.Values {
    switch meaning {
    case .next: [.text, .number, .container]
    case .textOffset: .text
    case .more: [.yes, .number, .text]
    case .end: [.no, .text]
    case .pages: [.number, .text]
    case .records: [.number, .text, .container]
    case .partial: []
    }
  }

  /// Returns the first list of a record that was cut; nil if there is none.
  package static func first(in record: JSONValue) -> CutList? { first(in: record, at: []) }

  private static func first(in value: JSONValue, at path: [String]) -> CutList? {
    guard path.count <= deepest else { return nil }
    switch value.kind {
    case .object:
      if let list = ListHolder(value, at: path)?.cut { return list }
      for member in value.members where member.value.holdsObjects {
        if let list = first(in: member.value, at: path + [member.name]) { return list }
      }
    case .array:
      for element in value.elements where element.holdsObjects {
        if let list = first(in: element, at: path + ["*"]) { return list }
      }
    case .string, .number, .boolean, .null: break
    }
    return nil
  }
}

/// An object inside a record that has a list.
private struct ListHolder {
  private struct Member {
    let path: [String]
    let value: JSONValue
    var name: String { PageHint.normalized(path.last ?? "") }
  }

  private static let objectsAboutPages: Set = [
    "paging", "pagination", "pageinfo", "meta", "metadata", "responsemetadata",
  ]
  private static let odata = "@odata."

  private let path: [String]
  /// The longest list, preferably of objects.
  private let list: (name: String, value: JSONValue, count: Int)
  private let lists: [(name: String, value: JSONValue)]
  private let own: [(name: String, value: JSONValue)]
  /// Members that may speak of the list: its neighbours, and those of an object about pages.
  private let members: [Member]

  /// Nil for an object without a list.
  ///
  /// - Parameter path: names that lead from the record to the object.
  init?(_ object: JSONValue, at path: [String]) {
    own = object.members.map { ($0.name, $0.value) }
    lists = own.filter { $0.value.kind == .array && !["links", "link"].contains(PageHint.normalized($0.name)) }
    guard !lists.isEmpty else { return nil }
    let ofObjects = lists.filter { $0.value.bytes.starts(with: "[{".utf8) }
    let counted = (ofObjects.isEmpty ? lists : ofObjects).map { ($0.name, $0.value, $0.value.elementCount) }
    guard let longest = counted.max(by: { $0.2 < $1.2 }) else { return nil }
    list = longest
    self.path = path
    var members: [Member] = []
    for (name, value) in own {
      // The record's own members are data. Only GraphQL's object about pages leaves no doubt.
      let container = PageHint.normalized(name)
      let isAboutPages = path.isEmpty ? container == "pageinfo" : PageHint.containers.contains(container)
      if !path.isEmpty { members.append(Member(path: [name], value: value)) }
      if value.kind == .object, isAboutPages { members += Self.members(of: value, at: [name]) }
    }
    self.members = members
  }

  /// The members of an object about pages, and of one in it: `meta.pagination`.
  private static func members(of object: JSONValue, at path: [String]) -> [Member] {
    let own = object.members.map { Member(path: path + [$0.name], value: $0.value) }
    guard path.count < 2 else { return own }
    // Facebook's `paging.cursors` are there on the last page, too.
    let inner = own.filter { $0.value.kind == .object && PageHint.containers.contains($0.name) && $0.name != "cursors" }
    return own + inner.flatMap { members(of: $0.value, at: $0.path) }
  }

  var cut: CutList? { cutByOData ?? cutByFlag ?? members.lazy.compactMap(cut(by:)).first }

  /// `"is_authors_truncated": true` beside `authorships`: also in the record itself, since it names the list.
  private var cutByFlag: CutList? {
    for (name, value) in own where value.flag == true {
      let plain = PageHint.normalized(name)
      guard plain.hasPrefix("is"), plain.hasSuffix("truncated") else { continue }
      let word = plain.dropFirst(2).dropLast("truncated".count)
      let stem = word.hasSuffix("s") ? word.dropLast() : word
      guard stem.count > 2, let list = lists.first(where: { PageHint.normalized($0.name).hasPrefix(stem) }) else {
        continue
      }
      return found([name], "", list.name, list.value.elementCount)
    }
    return nil
  }

  /// `"Lines@odata.nextLink"` beside `Lines`.
  private var cutByOData: CutList? {
    for (name, value) in own {
      guard let range = name.ranges(of: Self.odata).first, range.lowerBound > name.startIndex,
        let list = lists.first(where: { $0.name == name[..<range.lowerBound] })
      else { continue }
      let count = list.value.elementCount
      switch name[range.upperBound...] {
      case "nextLink" where value.namesSomething: return found([name], "", list.name, count, next: [name])
      case "count" where count > 0 && value.count ?? 0 > count:
        return found([name], " of \(value.text)", list.name, count)
      default: break
      }
    }
    return nil
  }

  private func cut(by member: Member) -> CutList? {
    for sign in PageHint.named(member.name) {
      switch sign.meaning {
      case .more where saysMore(sign, member), .end where sign.scope == .anywhere && member.value.flag == false:
        return found(member.path, member.value.flag == false ? " that is false" : "", list.name, list.count)
      case .next where leads(member):
        return found(member.path, "", list.name, list.count, next: member.path)
      case .pages:
        guard let last = member.value.count, let page = number(PageHint.currentPage), list.count > 0, page < last else {
          break
        }
        return found(member.path, " of \(last) on page \(page)", list.name, list.count)
      case .records:
        guard let total = member.value.totalValue.count, list.count > 0, isTotal(member) else { break }
        guard total > list.count, total - list.count > number(PageHint.currentOffset) ?? 0 else { break }
        return found(member.path, " of \(total)", list.name, list.count)
      case .more, .end, .next, .textOffset, .partial: break
      }
    }
    return nil
  }

  private func saysMore(_ sign: PageHint, _ member: Member) -> Bool {
    guard sign.scope != .anywhere else { return member.value.flag ?? (member.value.count ?? 0 > 0) }
    // A text may be truncated as well as a list.
    return member.value.flag == true && (member.path.count > 1 || list.value.bytes.starts(with: "[{".utf8))
  }

  /// Reports that a value leads to the list's next page, and not to the next thing of its kind.
  private func leads(_ member: Member) -> Bool {
    guard member.value.namesSomething else { return false }
    let text = member.value.string ?? (member.value["href"] ?? member.value["url"])?.string
    if let text, text.isURL {
      return text.contains("?") || member.name == "odatanextlink"
        || ["page", "records", "results"].contains { member.name.contains($0) }
    }
    let isAboutPages = member.path.count > 1 && Self.objectsAboutPages.contains(PageHint.normalized(member.path[0]))
    return isAboutPages || isBesidePage || ["page", "token", "cursor", "marker"].contains { member.name.contains($0) }
  }

  private func isTotal(_ member: Member) -> Bool {
    // Elasticsearch's total is an object: `{"value": 100, "relation": "eq"}`.
    PageHint.plainTotals.contains(member.name) || member.value["relation"] != nil || isBesidePage
  }

  /// True beside the place or size of a page.
  private var isBesidePage: Bool { members.contains { PageHint.places.contains($0.name) && $0.value.count != nil } }

  private func number(_ names: [String]) -> Int? {
    members.first { names.contains($0.name) && $0.value.count != nil }?.value.count
  }

  private func found(
    _ sign: [String], _ value: String, _ list: String, _ count: Int, next: [String]? = nil
  ) -> CutList {
    func named(_ names: [String]) -> String { "'\(JSONPath(wildcards: path + names))'" }
    let elements = "\(count.counted("element"))"
    return CutList(
      path: path + [list], sign: "\(named(sign))\(value) beside \(elements) of \(named([list]))",
      next: path.contains("*") ? nil : next.map { path + $0 })
  }
}

extension Evidence {
  /// Evidence that a list inside a record was cut, with the step that fetches the rest.
  ///
  /// - Parameter sign: what says so, such as `'lines.has_more' beside 10 elements of 'lines.data'`.
  init(cut list: CutList) {
    let names = list.path.filter { $0 != "*" && !$0.contains("@") }
    let name = (names.count > 1 ? names.dropLast() : names[...]).last.flatMap { PagesProposer.scalar($0) } ?? "rest"
    let endpoint =
      list.next.flatMap { PagesProposer.hole("input", $0) }.map { "\"${\($0)}\"" } ?? "\"…/${input.id}/\(name)\""
    self.init(
      .nested, "a list inside a record was cut: it has \(list.sign)",
      advice: ["fetch the rest in a second step, such as", "- { endpoint: \(endpoint), attach: \(name) }"])
  }
}

extension JSONValue {
  /// True if there may be an object with a list in the value.
  fileprivate var holdsObjects: Bool {
    (kind == .object || kind == .array) && bytes.count > 4 && bytes.contains(UInt8(ascii: "["))
  }

  fileprivate var elementCount: Int { elements.reduce(0) { count, _ in count + 1 } }
}

extension String {
  fileprivate var isURL: Bool { hasPrefix("http") || hasPrefix("/") }
}
