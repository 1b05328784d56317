// The members that `set` adds to records.

package import JSONText
import PipelineSpec
import Primitives
import Wire

extension JobPlan {
  /// Returns the members that `set` adds to an output record, in order, without optional templates that are missing.
  package func additions(for record: JSONValue?) throws(ParameterError) -> [(name: String, value: JSONValue)] {
    let scope = scope(for: record)
    for name in job.membersOfEach where record?[name] == nil {
      throw ParameterError(
        template: "each", place: "\(scope.specName):\(job.place)",
        problem:
          "the record has no member '\(name)', which 'each' makes; --from takes the records that 'each' has made, as "
          + "--rejects writes them: give one that 'each' refused to the whole pipeline again")
    }
    var additions: [(name: String, value: JSONValue)] = []
    for member in job.set {
      guard let value = try member.value.json(in: scope) else { continue }
      additions.append((member.name, value.value))
    }
    return additions
  }

  /// Members that `set` adds, if each is known now or copies a member of the record; nil otherwise.
  package var plainAdditions: [(name: String, source: MemberSetter.Source)]? {
    guard job.membersOfEach.isEmpty else { return nil }
    var additions: [(name: String, source: MemberSetter.Source)] = []
    for member in job.set {
      if case .string(let template) = member.value, let hole = template.onlyHole, hole.root == .record {
        guard hole.path.steps.count == 1, hole.fallback == nil, hole.form == nil, hole.separator == nil else {
          return nil
        }
        additions.append((member.name, .member(hole.path.steps[0].name)))
      } else {
        guard !member.value.templates.flatMap(\.holes).contains(where: { $0.root == .record }),
          let value = try? member.value.json(in: scope)
        else { return nil }
        additions.append((member.name, .constant(value.value)))
      }
    }
    return additions
  }
}
