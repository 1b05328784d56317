// Checks of a whole job whose body is no JSON text: it has records, and no members around them.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  mutating func checkColumns(_ draft: JobDraft) {
    guard let columns = draft.own["columns"] else { return }
    if let key = draft.own["key"] {
      refuse(
        "'key' beside 'columns'", at: key.keyRange,
        advice: "leave one of them out: 'columns' is for records that are arrays")
    }
    // A body that is a list has its names in its first row.
    let isInBody = draft.job.columns?.steps.map(\.name) == ["0", "*"]
    if draft.own["contentIdentifier"] == nil, draft.own["read"] == nil, !isInBody {
      let advice =
        "add 'contentIdentifier' with where the arrays are, such as 'rows', or write '/0' for a body's own first row"
      refuse("'columns' without 'contentIdentifier'", at: columns.keyRange, advice: advice)
    }
  }

  mutating func checkRead(_ draft: JobDraft) {
    guard draft.job.read != .json, let read = draft.own["read"] else { return }
    let format = if case .csv = draft.job.read { "CSV" } else { "NDJSON" }
    for name in ["contentIdentifier", "key", "columns"] {
      guard let key = draft.own[name] else { continue }
      refuse(
        "'\(name)' beside 'read'", at: key.keyRange, advice: "leave it out: \(format) has nothing around its records")
    }
    let templates = (draft.job.pages?.templates ?? []) + [draft.job.failure?.template].compactMap { $0 }
    for hole in templates.flatMap(\.holes) where hole.root == .body {
      let advice = "\(format) has no members around its records; read '${headers.…}' or '${last.…}'"
      refuse("'body' can't be read beside 'read'", at: range(of: hole), advice: advice)
    }
    let conditions = [
      ("failure", draft.job.failure?.condition),
      ("empty", draft.job.empty?.statuses == [] ? draft.job.empty?.condition : nil),
    ]
    for case (let name, _?) in conditions {
      guard let key = draft.own[name] else { continue }
      refuse(
        "a condition beside 'read'", at: key.value.range,
        advice: "leave it out: \(format) has nothing around its records")
    }
    if draft.job.poll?.paths.isEmpty == false, let poll = draft.own["poll"] {
      let advice = "\(format) has nothing around its records; poll in a step of its own, or only for 202"
      refuse("a condition of 'poll' beside 'read'", at: poll.keyRange, advice: advice)
    }
    if case .link(_, .some)? = draft.job.pages?.kind, let pages = draft.own["pages"] {
      let place = entries(of: pages.value)?.first { $0.key == "in" }
      let advice = "leave it out to read the header 'Link': \(format) has no links in its body"
      refuse("'in' beside 'read'", at: place?.keyRange ?? pages.keyRange, advice: advice)
    }
    if case .csv(let dialect) = draft.job.read { checkCSV(dialect, draft, read) }
  }

  /// Checks that `where` and `model` fit CSV: every value is a text, and a record of a model needs names for its values.
  private mutating func checkCSV(_ dialect: CSVDialect, _ draft: JobDraft, _ read: Node.Entry) {
    if let key = draft.own["where"], draft.job.filter != nil {
      for entry in entries(of: key.value) ?? [] { checkComparesTexts(entry.value) }
    }
    checkRead(draft.job.decode.members, of: dialect, draft)
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

  /// Refuses members of `dates` and `types` that no record of a table has.
  private mutating func checkRead(_ members: [Decode.Member], of dialect: CSVDialect, _ draft: JobDraft) {
    guard let key = draft.own["decode"], draft.job.decode.keys == nil else { return }
    for member in members {
      let name = member.path.steps[0].name
      if dialect.header == .none {
        return refuse(
          "'\(member.reading.key)' of records that are arrays", at: key.value.range,
          advice: "give the names: 'header: [id, name]'")
      } else if member.path.steps.count > 1 {
        refuse(
          "'\(member.path.pointer.printable)' in '\(member.reading.key)', and a value of CSV has no members",
          at: key.value.range,
          advice: "write the name of a column")
      } else if case .names(let names) = dialect.header, !names.contains(name) {
        refuse(
          "'\(name.printable)' in '\(member.reading.key)', which 'header' does not name", at: key.value.range,
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
