// Decodes the names that a spec gives: of members, and of what `each` makes.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  /// Returns the name that a spec gives a member; `["a.b"]` is the name `a.b`.
  ///
  /// - Parameter inner: what to write for a member inside another one; nil where there is no such thing.
  mutating func givenName(_ text: String, at range: Range<Int>, inner: ((_ names: [String]) -> String)? = nil)
    -> String?
  {
    if text.utf8.first == UInt8(ascii: "["), let steps = try? JSONPath(text).steps, steps.count == 1, !steps[0].isEvery
    {
      return steps[0].name
    }
    // A template in a name has its own message.
    guard text.contains(where: { ".[*".contains($0) }), !text.contains("${") else { return text }
    let names = (try? JSONPath(text))?.steps.map(\.name) ?? []
    let nested =
      names.count > 1 && !names.contains("*")
      ? inner.map { ", or '\($0(names).printable)' for a member inside another" } : nil
    refuse(
      "'\(text.printable)' is a path, and a name is meant", at: range,
      advice: "write '\(JSONPath(rootKey: text).description.printable)' with single quotes around it for that name"
        + (nested ?? ""))
    return nil
  }

  /// Returns the name that a value gives.
  mutating func givenName(_ node: Node, expected: String) -> String? {
    name(node, expected: expected).flatMap { givenName($0, at: node.range) }
  }

  /// Returns the members of `set`.
  mutating func setMembers(_ node: Node) -> [TemplateValue.Member]? {
    guard let members = members(node, .set, expected: "a map of members and their values") else { return nil }
    var seen: Set<String> = []
    let named = zip(members, entries(of: node) ?? []).map { member, entry -> TemplateValue.Member? in
      let value = sourceText(of: entry.value)
      let name = givenName(entry.key, at: entry.keyRange) { names in
        names.reversed().reduce(value) { "{ \($1): \($0) }" }
      }
      guard let name else { return nil }
      guard seen.insert(name).inserted else {
        refuse("'\(name.printable)' is set twice", at: entry.keyRange, advice: "leave one of them out")
        return nil
      }
      return TemplateValue.Member(name: name, value: member.value)
    }
    return named.contains { $0 == nil } ? nil : named.compactMap { $0 }
  }
}
