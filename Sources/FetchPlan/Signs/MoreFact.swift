// One thing that a first page says beside its records.

import JSONText

/// A member of the envelope, or a header field.
struct MoreFact: Sendable {
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

    /// The member as messages name it: by its name at the root, else by its JSON Pointer.
    var spelling: String {
      switch self {
      case .header(let name), .headerMember(let name): name
      case .body(let path): path.count == 1 ? path[0] : JSONPath(path).pointer
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
  var place: [String] {
    if case .body(let path) = source { path.dropLast() } else { [] }
  }

  /// The name of the object around it, as names are compared.
  var container: String { MoreSign.normalized(place.last ?? "") }
}
