import Diagnostics
import JSONText

/// `model`: the members and types that each record must have.
package struct Model: Hashable, Sendable {
  package indirect enum Kind: Hashable, Sendable {
    case string, integer, number, boolean, date, url, any
    case list(Kind)
    case map(Model)
  }
  package struct Member: Hashable, Sendable {
    package let name: String
    package let kind: Kind
    package let isOptional: Bool
    package init(name: String, kind: Kind, isOptional: Bool) {
      self.name = name
      self.kind = kind
      self.isOptional = isOptional
    }
  }
  package let members: [Member]
  package init(members: [Member]) { self.members = members }

  /// Returns the type of the member at the end of the path; nil if the model does not name it.
  func kind(at path: ArraySlice<String>) -> Kind? {
    guard let kind = members.first(where: { $0.name == path.first })?.kind else { return nil }
    guard path.count > 1 else { return kind }
    guard case .map(let inner) = kind else { return nil }
    return inner.kind(at: path.dropFirst())
  }
}
