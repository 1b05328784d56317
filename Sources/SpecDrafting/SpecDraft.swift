// A draft of a spec, with comments about the parts that are uncertain.

import Diagnostics
import FetchPlan
import JSONText
import Wire
import YAMLText

/// The parts of a draft, in the order of the file.
struct SpecDraft {
  /// The URL without the query items that `query` has.
  var endpoint = ""
  var method: String?
  /// Names and values; a value is a template, or text without any.
  ///
  /// A name may occur several times.
  var query: [(name: String, value: String)] = []
  var headers: [(name: String, value: String)] = []
  /// Names of fields that a run sends by default, and that are not to be sent.
  var removedHeaders: [String] = []
  /// The value of `auth`, as it stands in YAML.
  var auth: String?
  /// The body as JSON text.
  var body: String?
  var form: [(name: String, value: String)] = []
  var text: String?
  /// True if the answers are gzip files.
  var isPacked = false
  /// `csv` or `lines`, if the answers are no JSON.
  var read: String?
  var content: ContentCandidate?
  var pages: PagesProposal?
  /// The value of `poll`, if the answer is not there yet.
  var poll: String?
  /// Lines of `model`, below its key.
  var model: [String] = []
  /// Comments by the key before which they are written; the key "" is the end of the file.
  var comments: [String: [String]] = [:]

  /// Most scalars of a comment's line; only names and texts of a server can be longer.
  private static let longestComment = 100_000

  /// The text of the file.
  var file: String {
    var lines = comment("endpoint") + ["endpoint: \(YAMLScalar.text(endpoint))"]
    if let method { lines.append("method: \(method)") }
    // The first value of the pager's item stays in `query`, so that the first request is the given one.
    lines += map("query", query.filter { $0.name != pages?.replacedItem || Int($0.value) != nil })
    if headers.isEmpty, !removedHeaders.isEmpty { lines.append("headers:") }
    lines += map("headers", headers) + removedHeaders.map { "  \(YAMLScalar.text($0)): null" }
    if let auth { lines.append("auth: \(auth)") }
    lines += comment("body")
    if let body { lines.append("body: \(body)") }
    lines += map("form", form)
    lines += comment("text")
    if let text { lines.append("text: \(YAMLScalar.quoted(text))") }
    if isPacked { lines += comment("unpack") + ["unpack: gzip"] }
    if let read { lines += comment("read") + ["read: \(read)"] }
    lines += comment("contentIdentifier")
    if let identifier = content?.identifier {
      // The server's names must not become templates.
      lines.append("contentIdentifier: \(YAMLScalar.text(identifier.asTemplate))")
    }
    if let name = content?.nameMember { lines.append("key: \(name)") }
    if let columns = content?.columns { lines.append("columns: \(YAMLScalar.text(columns.asTemplate))") }
    lines += comment("pages")
    if let pages { lines.append(pages.line) }
    lines += comment("poll")
    if let poll { lines.append("poll: \(poll)") }
    lines += comment("login") + comment("steps") + comment("each") + comment("model")
    if !model.isEmpty { lines += ["model:"] + model.map { "  \($0)" } }
    return (lines + comment("")).joined(separator: "\n") + "\n"
  }

  private func map(_ key: String, _ entries: [(name: String, value: String)]) -> [String] {
    guard !entries.isEmpty else { return [] }
    var names: [String] = []
    for entry in entries where !names.contains(entry.name) { names.append(entry.name) }
    return ["\(key):"]
      + names.map { name in
        let values = entries.filter { $0.name == name }.map(\.value)
        return "  \(YAMLScalar.text(name)): \(values.count == 1 ? YAMLScalar.text(values[0]) : Self.list(values))"
      }
  }

  private static func list(_ values: [String]) -> String {
    // A comma or a colon within a list has a meaning.
    let texts = values.map {
      $0.utf8.contains { ",:?*&%@~=".utf8.contains($0) } ? YAMLScalar.quoted($0) : YAMLScalar.text($0)
    }
    return "[\(texts.joined(separator: ", "))]"
  }

  private func comment(_ key: String) -> [String] {
    (comments[key] ?? []).map { $0.isEmpty ? "#" : "# \($0.shortened(to: Self.longestComment).printable)" }
  }
}

extension PagesProposal {
  /// The first value of the item that the pager counts.
  var firstNumber: String { entries.first { $0.key == "start" }?.value ?? (kind == .number ? "1" : "0") }

  /// The query item that the pager sets itself, from the first page on.
  var replacedItem: String? {
    switch kind {
    case .number, .offset:
      let value = entries.first?.value ?? ""
      return value.hasPrefix("\"") ? String(value.dropFirst().dropLast()) : value
    case .cursor, .next, .link: return nil
    }
  }
}

extension String {
  /// The text with `$${` for each `${`, as a template without holes.
  var asTemplate: String { replacing("${", with: "$${") }

  /// Returns the text, or the whole characters at its start that have at most so many scalars, and '…'.
  func shortened(to limit: Int) -> String {
    let scalars = unicodeScalars
    guard let end = scalars.index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else { return self }
    // A character can have any number of scalars.
    let start = index(before: end)
    let cut = index(after: start) == end ? end : start
    return self[..<cut] + "…"
  }
}
