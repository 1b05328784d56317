// The members of a run's records, for readers that need them before the first record.

internal import Diagnostics
internal import JSONText

/// The members of the records that a run writes, as far as its specs say.
package struct RecordSchema: Sendable {
  /// Name of the last job.
  package let name: String
  package let model: Model
  /// Members that identify a record.
  package let uniqueMembers: [String]

  /// The reason why the members can't be known, with a remedy.
  package struct Unknown: Error, Hashable {
    package let problem: String
  }

  /// Finds the members of the last job's records, from its `model` and those of the jobs before it.
  ///
  /// - Parameter specs: the specs of the run, in order.
  package init(_ specs: [Spec]) throws(Unknown) {
    var model: Model?
    var unknown = ""
    let jobs = specs.flatMap(\.jobs)
    for (index, job) in jobs.enumerated() {
      let before = model
      model = job.written(from: before, isFirst: index == 0)
      if model == nil, before != nil || unknown.isEmpty { unknown = job.name }
    }
    guard let model, let last = jobs.last else {
      throw Unknown(
        problem: "the members of the records are not known: '\(unknown.printable)' has no 'model'; add one, such as "
          + "'model: { id: integer, name?: string }'")
    }
    (self.model, name, uniqueMembers) = (model, Self.name(of: last), last.keyMembers)
  }

  /// Returns the name of a job's records: its own, or that of its file without the extension.
  package static func name(of job: Job) -> String {
    job.name.firstMatch(of: #/^(.+)\.(yaml|yml|json)(#\d+)?$/#).map { String($0.1) } ?? job.name
  }
}

extension Job {
  /// Returns the members of what this job writes.
  ///
  /// - Parameters:
  ///   - input: the members of its input records, if they are known.
  ///   - isFirst: true for the first job, whose `each` makes records of its own.
  fileprivate func written(from input: Model?, isFirst: Bool) -> Model? {
    let joins = attach != nil || count != nil
    let expanded = isFirst && each != nil ? eachMembers : input.map { expandedMembers(of: $0) }
    let fetches = endpoint != nil
    var members = joins ? expanded : fetches ? fetched(input)?.members : passedMembers(of: expanded)
    if let attach {
      members = members.map { $0.replacing(Model.Member(name: attach.name, kind: attached(input), isOptional: false)) }
    }
    if let count {
      members = members.map { $0.replacing(Model.Member(name: count, kind: .integer, isOptional: false)) }
    }
    if !fetches { members = members.map { setting(in: $0, from: input) } }
    return members.map { Model(members: $0) }
  }

  /// Returns the members of the fetched records, if `model` says them.
  private func fetched(_ input: Model?) -> Model? {
    model.map { Model(members: setting(in: $0.members, from: input)) }
  }

  private func setting(in members: [Model.Member], from input: Model?) -> [Model.Member] {
    set.reduce(members) { members, member in
      members.replacing(Model.Member(name: member.name, kind: member.value.kind(from: input), isOptional: true))
    }
  }

  /// Returns what a job without a request leaves of its input records' members.
  private func passedMembers(of input: [Model.Member]?) -> [Model.Member]? {
    if let model { return model.members }
    guard decode.keys == nil else { return nil }
    var left = input.map { Model(members: $0).without(drop.map { $0.steps.map(\.name)[...] }) }
    if !keep.isEmpty { left = left.map { $0.keeping(keep.map { $0.steps.map(\.name)[...] }) } }
    left = left.map { rename.reduce($0) { $0.renaming($1.path.steps.map(\.name)[...], to: $1.name) } }
    return left.map(\.members).map {
      decode.members.reduce(Model(members: $0)) { $0.reading($1.path.steps[...], as: $1.reading) }.members
    }
  }

  private var eachMembers: [Model.Member] {
    (each?.axes ?? []).map { axis in
      Model.Member(name: axis.name, kind: axis.isWindow ? .map(Self.window) : .any, isOptional: false)
    }
  }

  /// The members of a window.
  private static var window: Model {
    let names = Each.windowMembers
    return Model(
      members: [names.start, names.end, names.next].map { Model.Member(name: $0, kind: .any, isOptional: false) })
  }

  /// Returns the members of the input records with those of `each`, which takes the lists that it goes over.
  private func expandedMembers(of input: Model) -> [Model.Member] {
    let lists = Set((each?.axes ?? []).compactMap(\.listName))
    return eachMembers.reduce(input.members.filter { !lists.contains($0.name) }) { $0.replacing($1) }
  }

  private func attached(_ input: Model?) -> Model.Kind {
    let kind = fetched(input).map { Model.Kind.map($0) } ?? .any
    if case .one? = attach { return .any }
    return .list(kind)
  }
}

extension Model {
  /// Returns the model with the member at this path as `decode` writes it: null stands for an empty text.
  fileprivate func reading(_ steps: ArraySlice<JSONStep>, as reading: Decode.Reading) -> Model {
    Model(
      members: members.map { member in
        guard member.name == steps.first?.name else { return member }
        let rest = steps.dropFirst()
        if rest.isEmpty { return Member(name: member.name, kind: reading.kind, isOptional: true) }
        guard case .map(let inner) = member.kind else { return member }
        return Member(name: member.name, kind: .map(inner.reading(rest, as: reading)), isOptional: member.isOptional)
      })
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
  /// Returns the model without the members at these paths.
  fileprivate func without(_ paths: [ArraySlice<String>]) -> Model {
    Model(
      members: members.compactMap { member in
        let inner = paths.filter { $0.first == member.name }.map { $0.dropFirst() }
        if inner.contains(where: \.isEmpty) { return nil }
        guard !inner.isEmpty, case .map(let model) = member.kind else { return member }
        return Member(name: member.name, kind: .map(model.without(inner)), isOptional: member.isOptional)
      })
  }
}

extension Model {
  /// Returns the model with the members at these paths only.
  fileprivate func keeping(_ paths: [ArraySlice<String>]) -> Model {
    Model(
      members: members.compactMap { member in
        let inner = paths.filter { $0.first == member.name }.map { $0.dropFirst() }
        guard !inner.isEmpty else { return nil }
        guard !inner.contains(where: \.isEmpty), case .map(let model) = member.kind else { return member }
        return Member(name: member.name, kind: .map(model.keeping(inner)), isOptional: member.isOptional)
      })
  }

  /// Returns the model with the member at the path under another name.
  fileprivate func renaming(_ path: ArraySlice<String>, to name: String) -> Model {
    Model(
      members: members.map { member in
        guard member.name == path.first else { return member }
        let rest = path.dropFirst()
        if rest.isEmpty { return Member(name: name, kind: member.kind, isOptional: member.isOptional) }
        guard case .map(let inner) = member.kind else { return member }
        return Member(name: member.name, kind: .map(inner.renaming(rest, to: name)), isOptional: member.isOptional)
      })
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
      guard hole.root == .input, hole.fallback == nil, hole.form == nil else { return .any }
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
