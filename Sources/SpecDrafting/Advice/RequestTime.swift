// A time in a request: its form, and its place in the draft.

import FetchPlan
import JSONText
import Primitives
import YAMLText

/// An item of a request whose value is a time, and whose name says which end of a window it is.
struct RequestTime {
  /// Part of the draft that has the item.
  enum Place: String {
    case query, form, body, endpoint
  }

  /// Spelling of a time.
  enum Form: Hashable {
    case date, rfc3339, seconds, milliseconds
    /// A date without hyphens.
    case digits

    /// The value of `as`; nil for the forms that a span has by itself.
    var name: String? {
      switch self {
      case .date, .rfc3339: nil
      case .seconds: "seconds"
      case .milliseconds: "milliseconds"
      case .digits: "\"%Y%m%d\""
      }
    }

    /// True if the form shows no time of day.
    var isDay: Bool { self == .date || self == .digits }
  }

  enum End: Hashable { case start, end }

  let name: String
  let value: String
  let place: Place
  let form: Form
  let end: End
  let timestamp: Timestamp

  /// Words of a name that begin or end a window.
  private static let starts: Set = [
    "from", "start", "starts", "since", "after", "begin", "beginning", "min", "oldest", "gte", "gt", "lower",
  ]
  private static let ends: Set = [
    "to", "end", "ends", "until", "before", "max", "latest", "lte", "lt", "upper", "till", "through",
  ]

  /// Words of a name that is about something else than time.
  private static let others: Set = [
    "id", "ids", "page", "index", "row", "offset", "cursor", "token", "key", "price", "size",
  ]

  /// Nil if the value is no time, or if the name does not say which end of a window it is.
  init?(name: String, value: String, place: Place) {
    let words = Self.words(of: name)
    guard Self.others.isDisjoint(with: words) else { return nil }
    guard
      let end = words.contains(where: Self.starts.contains)
        ? End.start : words.contains(where: Self.ends.contains) ? .end : nil,
      let (form, timestamp) = Self.time(value)
    else { return nil }
    (self.name, self.value, self.place, self.end) = (name, value, place, end)
    (self.form, self.timestamp) = (form, timestamp)
  }

  /// The words of `created_after`, `startDate` and `filter[from]`, in lower case.
  private static func words(of name: String) -> [String] {
    let parts = name.replacing(#/([a-z0-9])([A-Z])/#) { "\($0.1)_\($0.2)" }
    return parts.lowercased().split { !$0.isLetter }.map(String.init)
  }

  private static func time(_ value: String) -> (Form, Timestamp)? {
    if let date = Timestamp(rfc3339: value + "T00:00:00Z"), value.utf8.count == 10 { return (.date, date) }
    if let time = Timestamp(rfc3339: value) { return (.rfc3339, time) }
    guard value.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(value) else { return nil }
    switch value.utf8.count {
    // Eight digits that are a date of this age.
    case 8 where value.hasPrefix("19") || value.hasPrefix("20"):
      let text = "\(value.prefix(4))-\(value.dropFirst(4).prefix(2))-\(value.suffix(2))T00:00:00Z"
      return Timestamp(rfc3339: text).map { (.digits, $0) }
    case 10: return Timestamp(seconds: number).map { (.seconds, $0) }
    case 13: return Timestamp(seconds: number / 1000).map { (.milliseconds, $0) }
    default: return nil
    }
  }

  /// Returns the times of a request.
  static func all(in draft: SpecDraft) -> [RequestTime] {
    let inURL = draft.endpoint.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let url = inURL.split(separator: "&").map { URLItem(String($0)) }
    let body = draft.body.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    return draft.query.compactMap { RequestTime(name: $0.name, value: $0.value, place: .query) }
      + url.compactMap { RequestTime(name: $0.name, value: $0.value, place: .endpoint) }
      + draft.form.compactMap { RequestTime(name: $0.name, value: $0.value, place: .form) }
      + (body.map { leaves(of: $0) } ?? [])
  }

  private static func leaves(of value: JSONValue) -> [RequestTime] {
    switch value.kind {
    case .object:
      value.members.flatMap { member -> [RequestTime] in
        guard [.string, .number].contains(member.value.kind) else { return leaves(of: member.value) }
        let text = member.value.string ?? member.value.text
        return RequestTime(name: member.name, value: text, place: .body).map { [$0] } ?? []
      }
    case .array: value.elements.flatMap { leaves(of: $0) }
    case .string, .number, .boolean, .null: []
    }
  }

  /// Returns the item with a template in place of its value, as the draft spells it.
  func spelled(_ template: String) -> String {
    switch place {
    case .query, .form: "\(YAMLScalar.text(name)): \"\(template)\""
    case .endpoint: "\(name)=\(template)"
    case .body: "\(JSONValue(name).text): \"\(template)\""
    }
  }

  /// The value as a span or `start` of `incremental` spells it.
  var scalar: String { form.isDay || form == .rfc3339 ? form == .digits ? "\"\(value)\"" : value : value }
}
