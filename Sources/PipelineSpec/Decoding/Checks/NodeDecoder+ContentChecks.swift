// Checks `empty` and `drop` against the keys that they contradict.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  /// Refuses to drop a member that `model` needs.
  mutating func checkDrop(_ draft: JobDraft) {
    if let keep = draft.own["keep"], let model = draft.job.model, draft.job.decode.keys == nil,
      draft.job.rename.isEmpty, draft.job.flatten.isEmpty,
      !draft.job.keep.isEmpty
    {
      let kept = Set(draft.job.keep.compactMap(\.steps.first?.name))
      for member in model.members where !member.isOptional && !kept.contains(member.name) {
        refuse(
          "'keep' leaves out '\(member.name.printable)', which 'model' needs", at: keep.value.range,
          advice: "leave 'keep' out: 'model' leaves out the members that it doesn't name")
      }
    }
    guard let key = draft.own["drop"], elements(of: key.value).count == draft.job.drop.count else { return }
    for (path, node) in zip(draft.job.drop, elements(of: key.value)) {
      // `drop` has the server's names, `model` those that `decode` makes.
      guard draft.job.decode.keys == nil, draft.job.flatten.isEmpty, draft.job.model?.needs(path.steps[...]) == true
      else { continue }
      refuse(
        "'drop' removes '\(node.spelling.printable)', which 'model' needs", at: node.range,
        advice: "take it out of one of them: 'model' leaves out the members that it doesn't name")
    }
  }

  /// Refuses a member that `decode` writes as one type, and `model` wants to be of another.
  mutating func checkDecode(_ draft: JobDraft) {
    guard let model = draft.job.model, let key = draft.own["decode"] else { return }
    let read = entries(of: key.value) ?? []
    for member in draft.job.decode.members {
      let map = read.first { $0.key == member.reading.key }.flatMap { entries(of: $0.value) } ?? []
      let entry = map.first { (try? JSONPath($0.key)) == member.path }
      let names = member.path.steps.map(\.name)
      if let kind = model.kind(at: names[...]) {
        guard !member.reading.canBe(kind) else { continue }
        refuse(
          "'\(member.reading.key)' reads it as \(member.reading.word), 'model' says \(kind.word)",
          at: entry?.value.range ?? key.value.range, advice: "make both the same")
      } else if draft.job.decode.keys == nil,
        let length = names.indices.first(where: { !model.kind(at: names[...$0]).isMapOrAny })
      {
        let kind = model.kind(at: names[...length])
        let outer = JSONPath(Array(names[...length])).description.printable
        refuse(
          kind.map { "'\(outer)' is \($0.word) in 'model', and has no members" } ?? "'\(outer)' is not in 'model'",
          at: entry?.keyRange ?? key.value.range,
          advice: kind == nil
            ? "add it to 'model', or take it out here" : "'\(member.reading.key)' leads through objects only")
      }
    }
  }
}

extension Decode.Reading {
  /// Reports that what is written can be of a type of `model`.
  fileprivate func canBe(_ kind: Model.Kind) -> Bool {
    switch (self, kind) {
    case (_, .any), (.date, .string), (.date, .date), (.type(.boolean), .boolean): true
    case (.type(.string), .string), (.type(.string), .date), (.type(.string), .url): true
    case (.type(.number), .number), (.type(.number), .integer): true
    case (.type(.integer), .number), (.type(.integer), .integer): true
    default: false
    }
  }

  fileprivate var word: String {
    switch self {
    case .date: "date"
    case .type(let type): type.rawValue
    }
  }
}

extension Model.Kind? {
  /// True if a member of this type may have members.
  fileprivate var isMapOrAny: Bool {
    switch self {
    case .map, .any: true
    default: false
    }
  }
}

extension Model {
  /// Reports that a record without the member at the end of the path does not match.
  fileprivate func needs(_ steps: ArraySlice<JSONStep>) -> Bool {
    guard let step = steps.first, let member = members.first(where: { $0.name == step.name }), !member.isOptional else {
      return false
    }
    if steps.count == 1 { return true }
    return if case .map(let model) = member.kind { model.needs(steps.dropFirst()) } else { false }
  }
}

// Checks that a step reads only members that the previous step can give, as far as the spec tells.

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  /// Refuses templates that need a member which the step before can't give.
  mutating func checkMembers(in drafts: [JobDraft]) {
    guard drafts.allSatisfy(\.isWhole) else { return }
    var given: Model?
    for (index, draft) in drafts.enumerated() {
      let job = draft.job
      let input = job.read(from: given, isFirst: index == 0)
      if index > 0, let given, let input {
        checkMembers(in: job.eachTemplates, among: given, of: drafts[index - 1].job)
        checkMembers(in: job.templatesBesideEach, among: input, of: drafts[index - 1].job, job.each)
      }
      given = job.written(from: input)
    }
  }

  private mutating func checkMembers(
    in templates: [Template], among members: Model, of giver: Job, _ each: Each? = nil
  ) {
    let names = members.members.map(\.name)
    let known = Set(names)
    for hole in templates.flatMap(\.holes) where [.input, .inputs].contains(hole.root) && hole.isNeeded {
      guard let name = hole.path.steps.first?.name, !known.contains(name) else { continue }
      if let axis = each?.axes.first(where: { $0.listName == name }) {
        let advice = "write '${input.\(axis.name.printable)}', which is one of its elements"
        refuse("'each' takes the list '\(name.printable)' away", at: range(of: hole), advice: advice)
        continue
      }
      let near = suggestion(for: name, among: names).map { "did you mean '\($0.printable)'?" }
      let given = "it has \(names.prefix(20).list)"
      let remedy = giver.model == nil ? given : "\(given); or add it to the 'model' of that step"
      refuse(
        "no record of '\(giver.name.printable)' has a member '\(name.printable)'", at: range(of: hole),
        advice: near ?? remedy)
    }
  }
}

extension Job {
  /// Returns the key that removes a member before the records come out, judged by the server's names; nil if none does.
  func remover(of path: JSONPath) -> String? {
    let name = path.firstName
    // After `decode.keys`, the name may be another one.
    guard decode.keys == nil, !rename.contains(where: { $0.path.steps.count == 1 && $0.name == name }) else {
      return nil
    }
    if rename.contains(where: { $0.path == path }) { return "rename" }
    // `flatten` may put a member there after 'drop' has removed one.
    let isDropped = sources(of: path, in: flatten).allSatisfy { source in drop.contains(where: source.begins(with:)) }
    if isDropped { return "drop" }
    if flatten.contains(where: path.begins(with:)) { return "flatten" }
    return keep.isEmpty || !flatten.isEmpty || keep.contains { $0.begins(with: path) || path.begins(with: $0) }
      ? nil : "keep"
  }

  /// Returns the paths of the members that are at this path after `flatten`, by the server's names.
  private func sources(of path: JSONPath, in objects: [JSONPath]) -> [JSONPath] {
    [path]
      + objects.flatMap { object -> [JSONPath] in
        let outer = object.steps.dropLast()
        guard path.steps.count > outer.count, path.steps.starts(with: outer) else { return [] }
        let inner = objects.filter { $0 != object && $0.begins(with: object) }
        return sources(of: JSONPath(object.steps + path.steps[outer.count...]), in: inner)
      }
  }
}

extension String {
  /// Advice about a member that the key of this name removes before another key reads it.
  var adviceOnRemoval: String {
    switch self {
    case "drop": "take it out of 'drop'"
    case "flatten": "write it without the name of the object that 'flatten' takes away"
    default: "add it to '\(self)', or write the new name"
    }
  }
}

extension Template.Hole {
  /// True if a missing value would be an error.
  var isNeeded: Bool { fallback == nil && !isOptional }
}

extension Sequence<String> {
  /// The names in quotes, with commas.
  fileprivate var list: String { map { "'\($0.printable)'" }.joined(separator: ", ") }
}

// Checks of a whole job whose body is no JSON text: it has records, and no members around them.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  mutating func checkColumns(_ draft: JobDraft) {
    guard let columns = draft.own["columns"] else { return }
    // A body that is a list has its names in its first row, unless the spec has them.
    let isInBody = draft.job.columns?.steps.map(\.name) == ["0", "*"] || draft.job.columnNames != nil
    if draft.own["contentIdentifier"] == nil, draft.own["read"] == nil, !isInBody {
      let advice =
        "add 'contentIdentifier' with where the arrays are, such as 'rows', or write '0' for a body's own first row"
      refuse("'columns' without 'contentIdentifier'", at: columns.keyRange, advice: advice)
    }
  }

  mutating func checkRead(_ draft: JobDraft) {
    if draft.job.read == .json, draft.job.failure?.ofRecords != nil, let key = draft.own["failure"] {
      refuse(
        "'record' is a line of an answer, with 'read: lines'", at: key.value.range,
        advice: "an answer's members are 'body.…'")
    }
    guard draft.job.read != .json, let read = draft.own["read"] else { return }
    let format = draft.job.read.name
    for name in ["contentIdentifier", "key", "columns"] {
      guard let key = draft.own[name] else { continue }
      // A line may be an array.
      if name == "columns", draft.job.columnNames != nil, draft.job.read.isOfTexts { continue }
      refuse(
        "'\(name)' beside 'read'", at: key.keyRange, advice: "leave it out: \(format) has nothing around its records")
    }
    let templates =
      (draft.job.pages?.templates ?? []) + [draft.job.incremental?.mark.template].compactMap { $0 }
      + draft.job.set.flatMap(\.value.templates)
    for hole in templates.flatMap(\.holes) where hole.root == .body {
      let advice = "\(format) has no members around its records; read 'headers.…' or 'last.…'"
      refuse("'body' can't be read beside 'read'", at: range(of: hole), advice: advice)
    }
    let conditions = [
      ("failure", draft.job.failure), ("empty", draft.job.empty?.condition), ("poll", draft.job.poll?.until),
      ("poll", draft.job.poll?.failure),
      ("pages", Condition(anyOf: draft.job.pages?.conditions.flatMap(\.alternatives) ?? [])),
    ]
    for case (let name, let condition?) in conditions where !condition.bodyPaths.isEmpty {
      guard let key = draft.own[name] else { continue }
      refuse(
        "'body' can't be read beside 'read'", at: key.value.range,
        advice: "\(format) has no members around its records; read 'headers.…', 'last.…' or 'status'")
    }
    if case .link(_, .some)? = draft.job.pages?.kind, let pages = draft.own["pages"] {
      let link = entries(of: pages.value)?.first { $0.key == "link" }
      let entry = link.flatMap { entries(of: $0.value) }?.first { $0.key == "in" }
      let advice = "leave it out to read the header 'Link': \(format) has no links in its body"
      refuse("'in' beside 'read'", at: entry?.keyRange ?? pages.keyRange, advice: advice)
    }
    if case .csv(let dialect) = draft.job.read { checkCSV(dialect, draft, read) }
  }

  /// Checks that `where` and `model` fit CSV: every value is a text, and a record of a model needs names for its values.
  private mutating func checkCSV(_ dialect: CSVDialect, _ draft: JobDraft, _ read: Node.Entry) {
    if let key = draft.own["where"], draft.job.filter != nil {
      let alternatives = if case .list(let nodes) = key.value.content { nodes } else { [key.value] }
      for entry in alternatives.flatMap({ entries(of: $0) ?? [] }) { checkComparesTexts(entry.value) }
    }
    checkRead(draft.job.decode.paths, of: dialect, draft)
    guard let key = draft.own["model"], let model = draft.job.model else { return }
    if dialect.header == .none {
      refuse("'model' of records that are arrays", at: key.keyRange, advice: "give the names: 'header: [id, name]'")
    }
    for member in model.members where ![.string, .date, .url, .any].contains(member.kind) {
      if draft.job.decode.reading(of: member.name) != nil { continue }
      let entry = entries(of: key.value)?.first { $0.key == member.name || $0.key == member.name + "?" }
      let range = entry?.value.range ?? key.value.range
      let type = Decode.ValueType(rawValue: member.kind.word)
      let other = type.map { ", or read it in 'decode': 'types: { \(member.name.printable): \($0.rawValue) }'" } ?? ""
      refuse("a value of CSV is a text", at: range, advice: "write 'string'" + other)
    }
  }

  /// Refuses members of `decode` that no record of a table has.
  private mutating func checkRead(
    _ members: [(key: String, path: JSONPath)], of dialect: CSVDialect, _ draft: JobDraft
  ) {
    guard let key = draft.own["decode"], draft.job.decode.keys == nil else { return }
    for member in members {
      let name = member.path.steps[0].name
      if dialect.header == .none {
        return refuse(
          "'\(member.key)' of records that are arrays", at: key.value.range,
          advice: "give the names: 'header: [id, name]'")
      } else if member.path.steps.count > 1 {
        refuse(
          "'\(member.path.description.printable)' in '\(member.key)', and a value of CSV has no members",
          at: key.value.range,
          advice: "write the name of a column")
      } else if case .names(let names) = dialect.header, !names.contains(name) {
        refuse(
          "'\(name.printable)' in '\(member.key)', which 'header' does not name", at: key.value.range,
          advice: "write the name of a column")
      }
    }
  }

  /// Refuses tests that can't tell texts from one another.
  private mutating func checkComparesTexts(_ node: Node) {
    switch node.content {
    case .boolean, .number:
      refuse(
        "a value of CSV is a text, never anything else", at: node.range,
        advice: "write '\"\(node.spelling.printable)\"'")
    case .list(let nodes):
      // A list with a text may be for other formats, too.
      guard !nodes.contains(where: { if case .string = $0.content { true } else { false } }) else { return }
      for node in nodes { checkComparesTexts(node) }
    case .map(let tests):
      for test in tests {
        switch test.key {
        case "above", "below":
          // Dates and times are texts.
          if case .string = test.value.content { continue }
          refuse(
            "'\(test.key)' holds for numbers, and a value of CSV is a text", at: test.keyRange,
            advice:
              "ask the API for less in 'query', or make it a number ('types' in 'decode') and filter in the next step")
        case "not": checkComparesTexts(test.value)
        default: break
        }
      }
    case .null, .string: break
    }
  }
}
