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
}
