// Decodes `decode`: names, and members that are written as what they mean.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func decode(_ node: Node, into decode: inout Decode) {
    guard let keys = map(node, keys: SpecKeys.decodeKeys, into: &decode) else { return }
    // The order of a map's keys means nothing.
    decode.members.sort { $0.path.pointer < $1.path.pointer }
    checkReadOnce(keys.filter { ["dates", "types"].contains($0.key) })
  }

  /// Returns the members that `dates` or `types` names.
  mutating func readMembers(
    _ node: Node, of key: String, expected: String, _ reading: (inout NodeDecoder, Node) -> Decode.Reading?
  ) -> [Decode.Member] {
    var members: [Decode.Member] = []
    for entry in named(node, expected: expected, advice: nil) ?? [] {
      guard let reading = reading(&self, entry.value), let path = objectPath(entry.key, at: entry.keyRange, of: key)
      else {
        continue
      }
      members.append(Decode.Member(path: path, reading: reading))
    }
    return members
  }

  /// Refuses a member that is read in two ways, or that is inside another one that is read.
  private mutating func checkReadOnce(_ keys: [Node.Entry]) {
    var known: [(steps: [JSONStep], name: String, key: String)] = []
    for key in keys {
      for entry in entries(of: key.value) ?? [] {
        guard !entry.key.isEmpty, let steps = JSONPath(member: entry.key)?.steps else { continue }
        let name = entry.key.printable
        if let other = known.first(where: { $0.steps.starts(with: steps) || steps.starts(with: $0.steps) }) {
          let isSame = other.steps == steps
          refuse(
            isSame ? "'\(name)' is in '\(other.key)' already" : "'\(name)' and '\(other.name)' are one in the other",
            at: entry.keyRange, advice: "leave one of them out")
        }
        known.append((steps, name, key.key))
      }
    }
  }
}
