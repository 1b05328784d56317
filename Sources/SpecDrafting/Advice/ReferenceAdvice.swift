// The comment about records that only name others: a second step fetches those.

import JSONText
import Wire

/// Advice about a list of addresses or ids.
struct ReferenceAdvice {
  let lines: [String]

  /// A record with more members has data of its own.
  private static let mostMembers = 4

  /// Nil if the records are more than references.
  init?(_ draft: SpecDraft, records: [JSONValue], url: String) {
    guard let first = records.first else { return nil }
    if records.allSatisfy({ $0.kind == .number || $0.kind == .string }) {
      let kind = first.kind == .number ? "numbers" : "texts"
      lines = [
        "The records are \(kind). If they are ids, a second step can fetch each: '${record}' in its 'endpoint' is the id."
      ]
      return
    }
    let origin = Origin(of: url)
    guard records.allSatisfy({ Array($0.members.prefix(Self.mostMembers + 1)).count <= Self.mostMembers }) else {
      return nil
    }
    let name = first.members.map(\.name).first { name in
      records.allSatisfy { record in
        record[name]?.string.map { $0.contains("://") && Origin(of: $0) == origin } == true
      }
    }
    guard let name, name.utf8.allSatisfy({ (97...122).contains($0 | 0x20) || $0 == UInt8(ascii: "_") }) else {
      return nil
    }
    lines =
      ["Each record has a URL of this server in '\(name)'. To fetch what is there, write two steps:"]
      + draft.steps(then: "${record.\(name)}").map { "  \($0)" }
  }
}
