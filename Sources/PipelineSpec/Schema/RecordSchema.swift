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
    var unknown: Job?
    let jobs = specs.flatMap(\.jobs)
    for (index, job) in jobs.enumerated() {
      let before = model
      // 'keep' alone names members, but not their types.
      let isTyped = before != nil || job.model != nil || index == 0 && job.each != nil
      model = isTyped ? job.written(from: job.read(from: before, isFirst: index == 0)) : nil
      if model == nil, before != nil || unknown == nil { unknown = job }
    }
    guard let model, let last = jobs.last else {
      let name = unknown?.name.printable ?? ""
      let reason =
        unknown?.extendsInput == true
        ? "'\(name)' adds to the records that it reads, and no step before it says their members"
        : "'\(name)' has no 'model'; add one, such as 'model: { id: integer, name?: string }'"
      throw Unknown(problem: "the members of the records are not known: \(reason)")
    }
    (self.model, name, uniqueMembers) = (model, Self.name(of: last), last.keyMembers)
  }

  /// Returns the name of a job's records: its own, or that of its file without the extension.
  package static func name(of job: Job) -> String {
    job.name.firstMatch(of: #/^(.+)\.(yaml|yml|json)(#\d+)?$/#).map { String($0.1) } ?? job.name
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
