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
    left = flatten.reduce(left) { $0?.flattening($1.steps.map(\.name)[...]) }
    left = left.map { rename.reduce($0) { $0.renaming($1.path.steps.map(\.name)[...], to: $1.name) } }
    left = left.map { decode.members.reduce($0) { $0.reading($1.path.steps[...], as: $1.reading) } }
    return left.map { decode.nulls.reduce($0) { $0.reading($1.path.steps[...], as: nil) } }?.members
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
  fileprivate func reading(_ steps: ArraySlice<JSONStep>, as reading: Decode.Reading?) -> Model {
    Model(
      members: members.map { member in
        guard member.name == steps.first?.name else { return member }
        let rest = steps.dropFirst()
        if rest.isEmpty { return Member(name: member.name, kind: reading?.kind ?? member.kind, isOptional: true) }
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

  /// Returns the model with the members of the object at the path one level up; nil if they are not known.
  fileprivate func flattening(_ path: ArraySlice<String>) -> Model? {
    var members: [Member] = []
    for member in self.members {
      guard member.name == path.first else {
        members.append(member)
        continue
      }
      guard case .map(let inner) = member.kind else { return nil }
      let rest = path.dropFirst()
      if rest.isEmpty {
        members += inner.members.map {
          Member(name: $0.name, kind: $0.kind, isOptional: $0.isOptional || member.isOptional)
        }
      } else {
        guard let flat = inner.flattening(rest) else { return nil }
        members.append(Member(name: member.name, kind: .map(flat), isOptional: member.isOptional))
      }
    }
    return Model(members: members)
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

// MARK: A record's members as its readers declare them: JSON Schema, DuckDB, PostgreSQL

extension RecordSchema {
  /// Target of the description: a JSON Schema, or a database.
  package enum Form: String, CaseIterable, Sendable {
    /// JSON Schema draft-07 of one record.
    case jsonSchema = "json-schema"
    /// The value of `columns` for DuckDB's `read_json`.
    case duckdb
    /// The statement that creates PostgreSQL's table.
    case postgres
  }

  /// Returns the description, without a line end.
  ///
  /// - Throws: `Unknown` if the database would take two members for one column, or cut a member's name.
  package func text(as form: Form) throws(Unknown) -> String {
    switch form {
    case .jsonSchema: return jsonSchema
    case .duckdb:
      try model.checkCase()
      return duckDB
    case .postgres:
      // A column with a cut name would get no value.
      if let long = model.members.first(where: { $0.name.utf8.count > 63 }) {
        throw Unknown(
          problem: "'\(long.name.printable)' can't be a column of PostgreSQL, which keeps 63 bytes of a name: "
            + "rename it " + Self.remedy)
      }
      return postgres
    }
  }

  fileprivate static let remedy = "with 'set' and 'drop' in a step without 'endpoint'"
}

extension Model {
  /// Refuses members that DuckDB would take for one column.
  fileprivate func checkCase() throws(RecordSchema.Unknown) {
    var known: [String: String] = [:]
    for member in members {
      if let other = known.updateValue(member.name, forKey: member.name.lowercased()) {
        throw RecordSchema.Unknown(
          problem: "'\(other.printable)' and '\(member.name.printable)' would be one column of DuckDB, "
            + "which ignores the case of names: rename one " + RecordSchema.remedy)
      }
      if let inner = member.kind.innermost { try inner.checkCase() }
    }
  }
}

extension Model.Kind {
  /// The map in this kind, or in the elements of this list.
  fileprivate var innermost: Model? {
    switch self {
    case .map(let model): model
    case .list(let kind): kind.innermost
    case .string, .integer, .number, .boolean, .date, .url, .any: nil
    }
  }
}

// MARK: JSON Schema

extension RecordSchema {
  private var jsonSchema: String {
    JSONValue(
      members: [(name: "$schema", value: JSONValue("http://json-schema.org/draft-07/schema#"))] + model.jsonSchema
    ).text
  }
}

extension Model {
  fileprivate var jsonSchema: [(name: String, value: JSONValue)] {
    let required = members.filter { !$0.isOptional }.map { JSONValue($0.name) }
    return [
      (name: "type", value: JSONValue("object")),
      ("properties", JSONValue(members: members.map { (name: $0.name, value: $0.jsonSchema) })),
      ("required", JSONValue(elements: required)),
    ]
  }
}

extension Model.Member {
  /// A member that is optional may be missing or null.
  fileprivate var jsonSchema: JSONValue {
    JSONValue(
      members: kind.jsonSchema.map { name, value in
        guard isOptional, name == "type" else { return (name, value) }
        return (name, JSONValue(elements: [value, JSONValue("null")]))
      })
  }
}

extension Model.Kind {
  fileprivate var jsonSchema: [(name: String, value: JSONValue)] {
    func type(_ name: String) -> [(name: String, value: JSONValue)] { [("type", JSONValue(name))] }
    switch self {
    case .string: return type("string")
    case .integer: return type("integer")
    case .number: return type("number")
    case .boolean: return type("boolean")
    case .date:
      let formats = ["date-time", "date"].map { JSONValue(members: [("format", JSONValue($0))]) }
      return type("string") + [("anyOf", JSONValue(elements: formats))]
    case .url: return type("string") + [("format", JSONValue("uri"))]
    case .any: return []
    case .list(let kind): return type("array") + [("items", JSONValue(members: kind.jsonSchema))]
    case .map(let model): return model.jsonSchema
    }
  }
}

// MARK: DuckDB

extension RecordSchema {
  private var duckDB: String {
    let columns = model.members.map { "\($0.name.quoted("'")): \($0.kind.duckDB.quoted("'"))" }
    return "{\(columns.joined(separator: ", "))}"
  }
}

extension Model.Kind {
  /// Type in DuckDB.
  ///
  /// HUGEINT has 38 digits; without a declared type, the column would be a DOUBLE.
  fileprivate var duckDB: String {
    switch self {
    case .string, .url: "VARCHAR"
    case .integer: "HUGEINT"
    case .number: "DOUBLE"
    case .boolean: "BOOLEAN"
    case .date: "TIMESTAMPTZ"
    case .any: "JSON"
    case .list(let kind): "\(kind.duckDB)[]"
    case .map(let model) where model.members.isEmpty: "JSON"
    case .map(let model):
      "STRUCT(\(model.members.map { "\($0.name.quoted("\"")) \($0.kind.duckDB)" }.joined(separator: ", ")))"
    }
  }
}

// MARK: PostgreSQL

extension RecordSchema {
  private var postgres: String {
    let columns = model.members.map { member in
      "  \(member.name.quoted("\"")) \(member.kind.postgres)\(member.isNeverNull ? " NOT NULL" : "")"
    }
    let names = Set(model.members.map(\.name))
    let hasKey = !uniqueMembers.isEmpty && names.isSuperset(of: uniqueMembers)
    let key = uniqueMembers.map { $0.quoted("\"") }.joined(separator: ", ")
    let lines = columns + (hasKey ? ["  PRIMARY KEY (\(key))"] : [])
    return "CREATE TABLE \(name.quoted("\"")) (\n\(lines.joined(separator: ",\n"))\n);"
  }
}

extension Model.Member {
  fileprivate var isNeverNull: Bool { !isOptional && kind != .any }
}

extension Model.Kind {
  /// Type in PostgreSQL; numeric keeps every digit.
  fileprivate var postgres: String {
    switch self {
    case .string, .url: "text"
    case .integer, .number: "numeric"
    case .boolean: "boolean"
    case .date: "timestamptz"
    case .any, .list, .map: "jsonb"
    }
  }
}

extension String {
  /// Returns the text in quotes; quotes inside are doubled.
  fileprivate func quoted(_ quote: String) -> String { quote + replacing(quote, with: quote + quote) + quote }
}
