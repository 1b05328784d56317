// The identity of a spec: its requests and records, apart from their spelling.

internal import JSONText
import YAMLText

extension Node {
  /// Fingerprints of the keys that describe requests and records, by the key's place: `'query' of step 2`.
  ///
  /// Comments, the order of keys, and keys on which no record depends, those of `poll` too, do not change a fingerprint.
  var identity: [(key: String, fingerprint: Int)] {
    guard case .map(let entries) = content else { return [] }
    var keys: [(key: String, fingerprint: Int)] = []
    for entry in entries where !SpecKeys.changeable.contains(entry.key) {
      switch (entry.key, entry.value.content) {
      case ("steps", .list(let steps)):
        for (index, step) in steps.enumerated() {
          keys += step.identity.map { ("\($0.key) of step \(index + 1)", $0.fingerprint) }
        }
      case ("poll", .map(let entries)):
        let rest = entries.filter { !SpecKeys.changeableOfPoll.contains($0.key) }
        if !rest.isEmpty { keys.append(("'poll'", Node(content: .map(rest), range: entry.value.range).fingerprint)) }
      default: keys.append(("'\(entry.key)'", entry.value.fingerprint))
      }
    }
    return keys.sorted { $0.key < $1.key }
  }

  private var fingerprint: Int { Array(json.bytes).fingerprint }
}

extension SpecKeys {
  /// Names of keys that may change before an interrupted run is resumed.
  fileprivate static let changeable = Set((file + job).filter(\.mayChange).map(\.name))
  /// The same, of the keys of `poll`.
  fileprivate static let changeableOfPoll = Set(poll.filter(\.mayChange).map(\.name))
}
