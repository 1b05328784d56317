// Tests of a condition's member, in place of a value, and the keys of `empty`.

internal import Diagnostics
internal import JSONText

extension SpecKeys {
  static let conditionKeys: [Key<[Condition.Test]>] = [
    Key("above", "a number", "holds for a number above it") { node, tests, decoder in
      if let bound = decoder.number(node) { tests.append(.above(bound)) }
    },
    Key("below", "a number", "holds for a number below it") { node, tests, decoder in
      if let bound = decoder.number(node) { tests.append(.below(bound)) }
    },
    Key("has", "a text", "holds for a text that contains it, and for a list with this element") {
      node, tests, decoder in
      if let text = decoder.name(node, expected: "a text") { tests.append(.has(text)) }
    },
    Key(
      "not", "a value, a list of values, or a map of tests", "holds where that does not hold, and for a missing member"
    ) {
      node, tests, decoder in
      if let inner = decoder.tests(node) { tests.append(.not(inner)) }
    },
    Key("exists", "true or false", "true holds for a member that is there and not `null`") { node, tests, decoder in
      if let isThere = decoder.boolean(node) { tests.append(.exists(isThere)) }
    },
  ]

  static let emptyKeys: [Key<EmptyDraft>] = [
    Key("status", "a list of statuses", standard: "those of success", "statuses that the answer may have") {
      node, draft, decoder in
      draft.statuses = decoder.emptyStatuses(node)
    },
    Key("when", "a condition", standard: "none", "what the body must have in it") { node, draft, decoder in
      draft.condition = decoder.condition(node)
    },
  ]
}
