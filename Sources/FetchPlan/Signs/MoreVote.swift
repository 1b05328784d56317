// One sign, read on one page: whether it says that there is more.

import JSONText

/// The statement of one sign.
package struct MoreVote: Sendable {
  package enum Sign: Hashable, Sendable {
    case named(MoreSign)
    /// The `Link` header.
    case linkHeader(isReadable: Bool)
    /// An array of links in the body.
    case links
    /// `Content-Range: items 0-24/573`.
    case range
  }

  package let sign: Sign
  let source: MoreFact.Source
  let value: JSONValue
  package let saysMore: Bool

  package var weight: MoreSign.Weight {
    switch sign {
    case .named(let sign): !saysMore && sign.isWeakNo ? .none : sign.weight
    case .linkHeader, .links: .next
    case .range: .records
    }
  }

  /// The sign in words, with the number that it gives.
  func text(received: Int?) -> String {
    switch sign {
    case .linkHeader(true): "a Link header with 'next'"
    case .linkHeader(false): "a Link header that can't be read, with 'next' in it"
    case .links: "a link 'next' in '\(name)'"
    case .range: "a Content-Range header that ends before its total"
    case .named(let sign):
      switch sign.meaning {
      case .next, .more, .textOffset: "'\(name)'"
      case .end: "'\(name)' that is \(value.text)"
      case .pages: "'\(name)' of \(value.shownNumber)"
      case .records:
        "'\(name)' of \(value.shownNumber)" + (received.map { " for \($0) record\($0 == 1 ? "" : "s")" } ?? "")
      }
    }
  }

  private var name: String { source.spelling }
}

extension JSONValue {
  /// A number, or a text of digits.
  var count: Int? { integer ?? string.flatMap { Int($0) } }

  /// The number that an object like `{"value": 10000, "relation": "gte"}` holds, or the value itself.
  var totalValue: JSONValue { kind == .object ? self["value"] ?? self : self }

  fileprivate var shownNumber: String { totalValue.count.map(String.init) ?? "more" }

  /// Value of a boolean, also as text, `yes` or `no`.
  var flag: Bool? {
    if let boolean { return boolean }
    switch string?.lowercased() {
    case "true", "yes", "y": return true
    case "false", "no", "n": return false
    default: return nil
    }
  }

  /// True if the value is a text that begins as a URL with a scheme or a path does.
  var isURL: Bool { string.map { $0.hasPrefix("http") || $0.hasPrefix("/") } ?? false }

  /// True if a value that leads to the next page leads anywhere.
  ///
  /// HAL and others have an object here, whose URL counts.
  var namesSomething: Bool {
    switch kind {
    case .object: (self["href"] ?? self["url"]).map(\.namesSomething) ?? members.contains { $0.value.namesSomething }
    case .array: bytes.count > 2
    case .string: !["", "0", "-1", "null", "nil", "none"].contains(string) && flag != false
    case .number: integer.map { $0 > 0 } ?? true
    case .boolean: boolean == true
    case .null: false
    }
  }
}
