// What the records of a run look like, for readers that want to know it before the first one.

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
    for job in jobs {
      let before = model
      model = job.written(from: before)
      if model == nil, before != nil || unknown.isEmpty { unknown = job.name }
    }
    guard let model, let last = jobs.last else {
      throw Unknown(
        problem: "the members of the records are not known: '\(unknown.printable)' has no 'model'; add one, such as "
          + "'model: { id: integer, name?: string }'")
    }
    (self.model, name, uniqueMembers) = (model, Self.name(of: last), last.uniqueMembers)
  }

  /// Returns the name of a job's records: its own, or that of its file without the extension.
  package static func name(of job: Job) -> String {
    job.name.firstMatch(of: #/^(.+)\.(yaml|yml|json)(#\d+)?$/#).map { String($0.1) } ?? job.name
  }
}

extension Job {
  /// Returns the members of what this job writes.
  ///
  /// - Parameter input: the members of its input records, if they are known.
  fileprivate func written(from input: Model?) -> Model? {
    let joins = attach != nil || count != nil
    let keepsInput = joins || endpoint == nil
    var members = keepsInput ? inputMembers(input) : model?.members
    if let attach {
      members = members.map { $0.replacing(Model.Member(name: attach.name, kind: attached, isOptional: false)) }
    }
    if let count {
      members = members.map { $0.replacing(Model.Member(name: count, kind: .integer, isOptional: false)) }
    }
    for member in set {
      let added = Model.Member(name: member.name, kind: member.value.kind, isOptional: true)
      members = members.map { $0.replacing(added) }
    }
    return members.map { Model(members: $0) }
  }

  private func inputMembers(_ input: Model?) -> [Model.Member]? {
    guard let each else { return input?.members }
    return each.axes.flatMap(\.names).map { Model.Member(name: $0, kind: .any, isOptional: false) }
  }

  private var attached: Model.Kind {
    let kind = model.map { Model.Kind.map($0) } ?? .any
    if case .one? = attach { return .any }
    return .list(kind)
  }
}

extension [Model.Member] {
  fileprivate func replacing(_ member: Model.Member) -> [Model.Member] {
    contains { $0.name == member.name } ? map { $0.name == member.name ? member : $0 } : self + [member]
  }
}

extension TemplateValue {
  /// Type of the value, if the spec says it: one whole template may be anything.
  fileprivate var kind: Model.Kind {
    switch self {
    case .string(let template): template.onlyHole == nil ? .string : .any
    case .constant(let value, _): value.kind == .boolean ? .boolean : value.kind == .number ? .number : .any
    case .list, .map: .any
    }
  }
}
