// Doubts about member names that no record has after `decode.keys`.

internal import JSONText

extension Job {
  /// Doubts about names in `model`, `dates` and `types` that `keys` renames.
  ///
  /// A run prints them too, since an optional member of `model` would be missing without an error.
  package var renamedDoubts: [String] {
    guard let keys = decode.keys else { return [] }
    let read = decode.members.flatMap { member in member.path.steps.map { (member.reading.key, $0.name) } }
    let names = (model?.names ?? []).map { ("model", $0) } + read
    return names.filter { keys.renames($0.1) }.map { key, name in
      "no record has the member '\(name)' of '\(key)', since 'keys: \(keys.rawValue)' renames it: write the new name"
    }
  }
}

extension Model {
  /// Names of the members at every depth.
  fileprivate var names: [String] { members.flatMap { [$0.name] + $0.kind.names } }
}

extension Model.Kind {
  fileprivate var names: [String] {
    switch self {
    case .list(let kind): kind.names
    case .map(let model): model.names
    case .string, .integer, .number, .boolean, .date, .url, .any: []
    }
  }
}

extension Decode.Keys {
  fileprivate func renames(_ name: String) -> Bool {
    switch self {
    case .camelCase: name.split(separator: "_").count > 1
    case .snakeCase: name != name.lowercased()
    }
  }
}
