// The input records of one request, for `${inputs.NAME}`.

import JSONText
import PipelineSpec
import Wire

/// The input records that one request of a job with `batch` asks for.
struct InputBatch: Sendable {
  /// The records, each with its number in the batch, from 1.
  let records: [(number: Int, value: JSONValue)]

  /// Takes the records of a list.
  ///
  /// With `match`, a record whose values all equal those of an earlier one is left out. Both get what is fetched for
  /// the earlier one.
  init(_ list: JSONValue, for job: Job) {
    let all = list.elements.enumerated().map { (number: $0 + 1, value: $1) }
    guard !job.match.isEmpty else {
      records = all
      return
    }
    let holes = job.recordsHoles
    // In a JSON body 6 and "6" differ, in a query they are the same text.
    let isText = !(job.body?.templates ?? []).flatMap(\.holes).contains { $0.root == .inputs && $0.separator == nil }
    var seen: Set<[String?]> = []
    records = all.filter { record in
      seen.insert(
        holes.map { hole -> String? in
          guard let value = record.value[hole.path], !value.isNull else { return nil }
          return isText ? value.string ?? value.text : value.text
        }
      ).inserted
    }
  }
}

extension Job {
  /// Holes that read the input records of a request.
  var recordsHoles: [Template.Hole] { requestTemplates.flatMap(\.holes).filter { $0.root == .inputs } }
}

extension Template.Hole {
  /// Returns the list of the records' values; nil if the hole is optional and no record has a value.
  func list(in scope: TemplateScope) throws(ParameterError) -> ResolvedValue? {
    if scope.isValidation { return ResolvedValue(JSONValue(elements: [JSONValue("x")])) }
    var values: [JSONValue] = []
    for (number, record) in scope.inputBatch?.records ?? [] {
      let value = record[path] ?? .null
      if let fallback, value.isNull || value.string == "" {
        values.append(JSONValue(fallback))
      } else if !value.isNull {
        values.append(value)
      } else if !isOptional {
        let lack = missing(in: record, named: "record \(number) of the batch")
        throw scope.fault(self, "\(lack); a '?' before the '}' leaves such records out of the request")
      }
    }
    return values.isEmpty ? nil : ResolvedValue(JSONValue(elements: values))
  }

  /// Returns the text of a list's elements with the separator between them; other values as they are.
  func joined(_ found: ResolvedValue, in scope: TemplateScope) throws(ParameterError) -> ResolvedValue {
    guard let separator, found.value.kind == .array else { return found }
    var texts: [String] = []
    for element in found.value.elements where !element.isNull {
      let text = try text(of: ResolvedValue(element), in: scope).text
      guard !text.contains(separator) else {
        throw scope.fault(self, "'\(text)' has the separator '\(separator)' in it, and would be read as several values")
      }
      texts.append(text)
    }
    return ResolvedValue(text: texts.joined(separator: separator), isSecret: found.isSecret)
  }
}
