// The change with which the second request of a recording turned the page.

import FetchPlan
import JSONText

/// The only item in which a recorded request differs from the previous one.
struct RecordedTurn: Sendable {
  let item: RequestItem
  /// The item's value in the first request, if it had one.
  let before: String?
  let after: String

  /// Compares two requests.
  ///
  /// Nil if they have different methods or URLs (without the query), or if not exactly one item differs.
  init?(from first: Look.Recorded, to second: Look.Recorded) {
    guard first.method == second.method, first.address == second.address else { return nil }
    let changes = Self.changes(first.items, second.items)
    let bodies = Self.changes(Self.leaves(of: first.body), Self.leaves(of: second.body))
    guard let changes, let bodies, changes.count + bodies.count == 1, let change = (changes + bodies).first else {
      return nil
    }
    item = RequestItem(in: changes.isEmpty ? .body : .query, change.name)
    (before, after) = (change.before, change.after)
  }

  /// Largest number that the first page may have.
  private static let mostStart = 1_000

  private typealias Change = (name: String, before: String?, after: String)

  /// Returns the items that were added or changed; nil if a name is repeated, or if an item was removed.
  private static func changes(
    _ first: [(name: String, value: String)], _ second: [(name: String, value: String)]
  ) -> [Change]? {
    var old: [String: String] = [:]
    for (name, value) in first where old.updateValue(value, forKey: name) != nil { return nil }
    var changes: [Change] = []
    for (name, value) in second {
      let before = old.removeValue(forKey: name)
      if before != value { changes.append((name, before, value)) }
    }
    return old.isEmpty ? changes : nil
  }

  /// Returns the scalars of a JSON body by their paths; another body counts as one scalar.
  private static func leaves(of body: String?) -> [(name: String, value: String)] {
    guard let body, !body.isEmpty else { return [] }
    guard let json = try? JSONValue(parsing: Array(body.utf8)), json.kind == .object else { return [("", body)] }
    func leaves(_ value: JSONValue, _ path: [String]) -> [(name: String, value: String)] {
      guard value.kind == .object, path.count < 8 else {
        return [(JSONPath(path).description, value.string ?? value.text)]
      }
      return value.members.flatMap { leaves($0.value, path + [$0.name]) }
    }
    return leaves(json, []).filter { $0.value != "null" }
  }

  /// Returns the pager that would ask for page two in this way.
  ///
  /// - Parameters:
  ///   - body: the first answer.
  ///   - lines: the records of the first answer.
  ///   - other: the pager that the answer itself proposes.
  func proposal(_ body: JSONValue, _ lines: [UInt8], like other: PagesProposal?) -> PagesProposal? {
    let records = lines.split(separator: UInt8(ascii: "\n"))
    if let number = Int(after), number > 0 {
      // A large number is rather a year or an id, unless its item is named like a page or an offset.
      let start = before.map { Int($0) }
      let isCount = (start ?? 0) ?? 0 <= Self.mostStart || PagesProposal.counted(by: item.name) != nil
      if isCount, start ?? 1 == number - 1 {
        return .counting(item, isOffset: false, like: other)
      }
      if isCount, let start = start ?? 0, start + records.count == number {
        return .counting(item, isOffset: true, like: other)
      }
    }
    if let path = Self.path(of: after, in: body, []) { return .carrying(item, from: ["body"] + path, like: other) }
    guard let last = records.last, let record = try? JSONValue(parsing: Array(last)),
      let path = Self.path(of: after, in: record, [])
    else { return nil }
    return .carrying(item, from: ["last"] + path, like: other)
  }

  /// Returns the path through objects to a text, a number, or a list that equals the sent text.
  private static func path(of text: String, in value: JSONValue, _ path: [String]) -> [String]? {
    switch value.kind {
    case .object where path.count < 6:
      for member in value.members {
        if let found = Self.path(of: text, in: member.value, path + [member.name]) { return found }
      }
      return nil
    case .string: return value.string == text && !text.isEmpty ? path : nil
    case .number, .array: return value.text == text ? path : nil
    default: return nil
    }
  }
}
