// What a spec asks for, apart from how its text says it.

internal import JSONText
import YAMLText

extension Node {
  /// Fingerprint of the requests and records that a spec describes.
  ///
  /// Comments, the order of keys, and the keys that say how fast and how often to ask have no part in it.
  var identity: Int { Array(asked.json.bytes).fingerprint }

  /// A spec without what may change.
  fileprivate var asked: Node {
    guard case .map(let entries) = content else { return self }
    let rest = entries.map { entry in
      guard entry.key == "steps", case .list(let steps) = entry.value.content else { return entry }
      return Entry(
        key: entry.key, keyRange: entry.keyRange,
        value: Node(content: .list(steps.map(\.keysThatMatter)), range: entry.value.range))
    }
    return Node(content: .map(rest), range: range).keysThatMatter
  }

  /// A map without the keys that may change, the others by name.
  private var keysThatMatter: Node {
    guard case .map(let entries) = content else { return self }
    let kept = entries.filter { !SpecKeys.changeable.contains($0.key) }.sorted { $0.key < $1.key }
    return Node(content: .map(kept), range: range)
  }
}

extension SpecKeys {
  /// Names of keys that may change before an interrupted run is resumed.
  fileprivate static let changeable = Set((file + job).filter(\.mayChange).map(\.name))
}
