// Conversion of a job's `model` and `decode` to the types of Unwrapping, which does not import PipelineSpec.

package import PipelineSpec
import Unwrapping

extension Shape {
  /// Creates the shape of a job; nil if its records are given unchanged.
  init?(_ job: Job) {
    guard
      !job.drop.isEmpty || !job.keep.isEmpty || !job.rename.isEmpty || job.model != nil || job.decode.keys != nil
        || !job.decode.members.isEmpty
    else { return nil }
    self.init(
      drop: job.drop, keep: job.keep, keys: job.decode.keys.map(Keys.init),
      rename: job.rename.map { ($0.path, $0.name) },
      members: job.decode.members.map { ($0.path, Reading($0.reading)) },
      model: job.model.map(Self.members))
  }

  private static func members(_ model: Model) -> [Member] {
    model.members.map { Member(name: $0.name, kind: Kind($0.kind), isOptional: $0.isOptional) }
  }

  fileprivate static func kind(of model: Model) -> Kind { .map(members(model)) }
}

extension Shape.Keys {
  package init(_ keys: Decode.Keys) {
    switch keys {
    case .camelCase: self = .camelCase
    case .snakeCase: self = .snakeCase
    }
  }
}

extension Shape.Reading {
  fileprivate init(_ reading: Decode.Reading) {
    switch reading {
    case .date(let form): self = .date(form)
    case .type(.string): self = .type(.string)
    case .type(.integer): self = .type(.integer)
    case .type(.number): self = .type(.number)
    case .type(.boolean): self = .type(.boolean)
    }
  }
}

extension Shape.Kind {
  fileprivate init(_ kind: Model.Kind) {
    switch kind {
    case .string: self = .string
    case .integer: self = .integer
    case .number: self = .number
    case .boolean: self = .boolean
    case .date: self = .date
    case .url: self = .url
    case .any: self = .any
    case .list(let element): self = .list(Shape.Kind(element))
    case .map(let model): self = Shape.kind(of: model)
    }
  }
}
