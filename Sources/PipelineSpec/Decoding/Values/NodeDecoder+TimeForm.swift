// Decodes forms of times: `date`, `milliseconds`, `%d/%m/%Y`.

import YAMLText

internal import Diagnostics
internal import Primitives

extension NodeDecoder {
  private static let forms = TimeForm.named.map { "'\($0.name)'" }.joined(separator: ", ") + " or a pattern"

  mutating func timeForm(_ node: Node) -> TimeForm? {
    guard case .string(let text) = node.content else {
      refuse(node, expected: "one of \(Self.forms)")
      return nil
    }
    if let form = TimeForm(text) { return form }
    let near = suggestion(for: text, among: TimeForm.named.map(\.name))
    refuse(
      "expected one of \(Self.forms), found '\(text.printable)'", at: node.range,
      advice: near.map { "did you mean '\($0)'?" }
        ?? "a pattern such as '%d/%m/%Y' is made of \(TimePattern.fieldNames)")
    return nil
  }

  /// Returns a form in which times can be read.
  mutating func readableForm(_ node: Node) -> TimeForm? {
    guard let form = timeForm(node) else { return nil }
    guard let found = form.readingProblem else { return form }
    refuse("'\(form.spelling.printable)' \(found.problem)", at: node.range, advice: found.remedy)
    return nil
  }
}
