// The list that a job fetches, so that a mark is not used for another list.

import JSONText
import PipelineSpec
import Primitives
package import Wire

extension JobPlan {
  /// Returns the job's base and endpoint as they are spelled, with parameters inserted, and the variable that supplies an origin.
  ///
  /// This text is the same in every run of the job with these parameters.
  package func subject(hiding secrets: SecretStore) -> String {
    let texts = [job.base, job.endpoint].compactMap { $0 }.map { template in
      template.pieces.map { piece in
        switch piece {
        case .text(let text): text
        case .hole(let hole):
          hole.root == .param || hole == template.originHole
            ? (try? hole.reading(in: scope))?.text ?? "" : hole.spelling
        }
      }.joined()
    }
    return secrets.identity(of: texts.joined(separator: " "))
  }

  /// Returns what may select the job's records: the parameters in its query and body, and literal query items.
  package func choices(hiding secrets: SecretStore) -> [(name: String, value: String)] {
    let templates = job.query.flatMap(\.values).flatMap(\.templates) + job.bodyTemplates
    let names = Set(templates.flatMap(\.holes).filter { $0.root == .param }.compactMap { $0.path.steps.first?.name })
    let parameters = names.sorted().compactMap { name in
      scope.run.parameters[name].map { (name: name, value: secrets.identity(of: $0.text)) }
    }
    let literals = literalChoices.filter { !names.contains($0.name) }
    return parameters + literals.map { (name: $0.name, value: secrets.identity(of: $0.value)) }
  }

  /// Query items that change the members of records, not which records come.
  private static let shapes: Set = [
    "fields", "select", "include", "expand", "embed", "format", "attributes", "properties", "lang", "locale",
  ]

  /// Query items that the spec has as text, and that may select records.
  private var literalChoices: [(name: String, value: String)] {
    job.query.compactMap { item in
      guard item.values.allSatisfy({ $0.templates.allSatisfy(\.holes.isEmpty) }),
        !PagesProposal.isPageSize(item.name), !Self.shapes.contains(item.name.lowercased().filter(\.isLetter))
      else { return nil }
      let texts = item.values.map { (try? $0.json(in: scope))??.value }.map { $0?.string ?? $0?.text ?? "" }
      return (item.name, texts.joined(separator: ","))
    }
  }
}
