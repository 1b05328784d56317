// The identity of a spec: its requests and records, apart from their spelling.

internal import JSONText
import YAMLText

extension Node {
  /// Fingerprint of the requests and records that a spec describes.
  ///
  /// Comments, the order of keys, and keys on which no record depends do not change the fingerprint.
  var identity: Int { Array(asked.json.bytes).fingerprint }

  /// The spec without the keys that may change.
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

  /// The map without the keys that may change, sorted by name.
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
