import Diagnostics
package import JSONText
package import Primitives

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

/// `decode`: names, and members that are written as what they mean.
package struct Decode: Hashable, Sendable {
  package enum Keys: String, CaseIterable, Sendable {
    case camelCase
    case snakeCase = "snake_case"
  }
  package var keys: Keys?
  /// The types as which `types` reads members.
  package enum ValueType: String, CaseIterable, Sendable { case string, integer, number, boolean }
  /// What a member means.
  package enum Reading: Hashable, Sendable {
    case date(TimeForm)
    case type(ValueType)

    /// The key that says so.
    package var key: String {
      switch self {
      case .date: "dates"
      case .type: "types"
      }
    }
  }
  package struct Member: Hashable, Sendable {
    package let path: JSONPath
    package let reading: Reading
    package init(path: JSONPath, reading: Reading) {
      self.path = path
      self.reading = reading
    }
  }
  /// Members of `dates` and `types`, by their paths after `keys`.
  package var members: [Member] = []
  /// A member of `nulls`, by its path after `keys`, and the values that are written as null.
  package struct Nulls: Hashable, Sendable {
    package let path: JSONPath
    package let values: [JSONValue]
  }
  package var nulls: [Nulls] = []
  /// The paths of all members that are read, each with its key.
  package var paths: [(key: String, path: JSONPath)] {
    members.map { ($0.reading.key, $0.path) } + nulls.map { ("nulls", $0.path) }
  }
  package init() {}

  /// Returns what a member of the record itself means; nil if it is not read.
  package func reading(of name: String) -> Reading? { members.first { $0.path == [name] }?.reading }
}

// The members of the records that a job reads and writes, as far as its spec says.

extension Job {
  /// True if the job writes its input records with members that it adds.
  var extendsInput: Bool { download != nil || attach != nil || count != nil }

  /// Returns the members of the records that the job reads, with those that `each` makes; nil if they are not known.
  ///
  /// - Parameters:
  ///   - given: the members of what the job before writes.
  ///   - isFirst: true for the first job, whose `each` makes records of its own.
  func read(from given: Model?, isFirst: Bool) -> Model? {
    guard let axes = each?.axes else { return given }
    let lists = Set(axes.compactMap(\.listName))
    let kept = isFirst ? [] : given?.members.filter { !lists.contains($0.name) }
    return kept.map { kept in Model(members: axes.reduce(kept) { $0.replacing($1.member) }) }
  }

  /// Returns the members of what the job writes; nil if they are not known.
  ///
  /// - Parameter input: the members of the records that it reads.
  func written(from input: Model?) -> Model? {
    guard extendsInput else {
      let own = endpoint == nil ? passed(input) : model
      return own.map { setting(in: $0, from: input) }
    }
    guard let input else { return nil }
    if download != nil {
      let file = Model.Member(name: "file", kind: .map(Self.savedFile), isOptional: true)
      return setting(in: Model(members: input.members.replacing(file)), from: input)
    }
    var members = input.members
    if let attach {
      let fetched = model.map { Model.Kind.map(setting(in: $0, from: input)) } ?? .any
      let kind = if case .one = attach { Model.Kind.any } else { Model.Kind.list(fetched) }
      members = members.replacing(Model.Member(name: attach.name, kind: kind, isOptional: false))
    }
    if let count { members = members.replacing(Model.Member(name: count, kind: .integer, isOptional: false)) }
    return Model(members: members)
  }

  /// The members of `file`, which `download` adds.
  private static var savedFile: Model {
    func text(_ name: String, isOptional: Bool = false) -> Model.Member {
      Model.Member(name: name, kind: .string, isOptional: isOptional)
    }
    let bytes = Model.Member(name: "bytes", kind: .integer, isOptional: false)
    return Model(members: [text("path"), text("name"), bytes, text("contentType", isOptional: true)])
  }

  private func setting(in model: Model, from input: Model?) -> Model {
    Model(
      members: set.reduce(model.members) { members, member in
        members.replacing(Model.Member(name: member.name, kind: member.value.kind(from: input), isOptional: true))
      })
  }

  /// Returns what a job without a request leaves of its input records' members.
  private func passed(_ input: Model?) -> Model? {
    if let model { return model }
    guard decode.keys == nil else { return nil }
    let kept = keep.map { $0.steps.map(\.name)[...] }
    // Of records that are not known, 'keep' names the members.
    let named = kept.compactMap(\.first).reduce([]) {
      $0.replacing(Model.Member(name: $1, kind: .any, isOptional: true))
    }
    guard var left = input ?? (keep.isEmpty ? nil : Model(members: named)) else { return nil }
    for path in drop { left = left.changing(path) { _ in [] } }
    if !keep.isEmpty { left = left.keeping(kept) }
    for path in flatten {
      guard let flat = left.flattening(path) else { return nil }
      left = flat
    }
    for member in rename { left = left.changing(member.path) { [$0.with(name: member.name)] } }
    for member in decode.members {
      left = left.changing(member.path) { [$0.with(kind: member.reading.kind, isOptional: true)] }
    }
    for member in decode.nulls { left = left.changing(member.path) { [$0.with(isOptional: true)] } }
    return left
  }
}

extension Each.Axis {
  /// The member that it makes.
  fileprivate var member: Model.Member {
    let names = Each.windowMembers
    let window = [names.start, names.end, names.next].map { Model.Member(name: $0, kind: .any, isOptional: false) }
    return Model.Member(name: name, kind: isWindow ? .map(Model(members: window)) : .any, isOptional: false)
  }
}

extension Decode.Reading {
  fileprivate var kind: Model.Kind {
    switch self {
    case .date: .any
    case .type(.string): .string
    case .type(.integer): .integer
    case .type(.number): .number
    case .type(.boolean): .boolean
    }
  }
}

extension Model {
  /// Returns the model with what takes the place of the member at the path, if it names it.
  fileprivate func changing(_ path: JSONPath, _ change: (Member) -> [Member]) -> Model {
    changing(path.steps.map(\.name)[...], change)
  }

  private func changing(_ path: ArraySlice<String>, _ change: (Member) -> [Member]) -> Model {
    Model(
      members: members.flatMap { member in
        guard member.name == path.first else { return [member] }
        guard path.count > 1 else { return change(member) }
        guard case .map(let inner) = member.kind else { return [member] }
        return [member.with(kind: .map(inner.changing(path.dropFirst(), change)))]
      })
  }

  /// Returns the model with the members at these paths only.
  fileprivate func keeping(_ paths: [ArraySlice<String>]) -> Model {
    Model(
      members: members.compactMap { member in
        let inner = paths.filter { $0.first == member.name }.map { $0.dropFirst() }
        guard !inner.isEmpty else { return nil }
        guard !inner.contains(where: \.isEmpty), case .map(let model) = member.kind else { return member }
        return member.with(kind: .map(model.keeping(inner)))
      })
  }

  /// Returns the model with the members of the object at the path one level up; nil if they are not known.
  fileprivate func flattening(_ path: JSONPath) -> Model? {
    let names = path.steps.map(\.name)
    let isKnown = names.indices.allSatisfy { end in
      switch kind(at: names[...end]) {
      case .map, nil: true
      default: false
      }
    }
    return !isKnown
      ? nil
      : changing(path) { object in
        guard case .map(let inner) = object.kind else { return [object] }
        return inner.members.map { $0.with(isOptional: $0.isOptional || object.isOptional) }
      }
  }
}

extension Model.Member {
  fileprivate func with(name: String? = nil, kind: Model.Kind? = nil, isOptional: Bool? = nil) -> Self {
    Self(name: name ?? self.name, kind: kind ?? self.kind, isOptional: isOptional ?? self.isOptional)
  }
}

extension [Model.Member] {
  fileprivate func replacing(_ member: Model.Member) -> [Model.Member] {
    contains { $0.name == member.name } ? map { $0.name == member.name ? member : $0 } : self + [member]
  }
}

extension TemplateValue {
  /// Type of the value, if the spec says it: one whole template has the type of the member that it reads.
  ///
  /// - Parameter input: the members of the input records, if they are known.
  fileprivate func kind(from input: Model?) -> Model.Kind {
    switch self {
    case .string(let template):
      guard let hole = template.onlyHole else { return .string }
      guard hole.root == .input, hole.isVerbatim else { return .any }
      return input?.kind(at: hole.path.steps.map(\.name)[...]) ?? .any
    case .constant(let value, _):
      switch value.kind {
      case .boolean: return .boolean
      case .number: return value.text.contains { ".eE".contains($0) } ? .number : .integer
      case .string, .null, .array, .object: return .any
      }
    case .list, .map: return .any
    }
  }
}
