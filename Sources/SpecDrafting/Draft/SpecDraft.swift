// A draft of a spec, with comments about the parts that are uncertain.

import Diagnostics
import FetchPlan
package import Files
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
  /// The form of answers that are packed files; nil for others.
  var packing: Request.Packing?
  /// `csv` or `lines`, if the answers are no JSON.
  var read: String?
  var content: ContentCandidate?
  var pages: PagesProposal?
  /// True for `pages: auto`.
  var isAuto = false
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
    lines += map(
      "query", query.filter { RequestItem($0.name) != pages?.countedItem || Int($0.value) != nil } + firstItem)
    if headers.isEmpty, !removedHeaders.isEmpty { lines.append("headers:") }
    lines += map("headers", headers) + removedHeaders.map { "  \(YAMLScalar.text($0)): null" }
    if let auth { lines.append("auth: \(auth)") }
    lines += comment("body")
    if let body { lines.append("body: \(body)") }
    lines += map("form", form)
    lines += comment("text")
    if let text { lines.append("text: \(YAMLScalar.quoted(text))") }
    if let packing { lines += comment("unpack") + ["unpack: \(packing == .zip ? "zip" : "gzip")"] }
    if let read { lines += comment("read") + ["read: \(read)"] }
    lines += comment("contentIdentifier")
    if let identifier = content?.identifier {
      // The server's names must not become templates.
      lines.append("contentIdentifier: \(YAMLScalar.text(identifier.asTemplate))")
    }
    if let name = content?.nameMember { lines.append("key: \(name)") }
    if let columns = content?.columns { lines.append("columns: \(YAMLScalar.path(columns.asTemplate))") }
    lines += comment("pages")
    if isAuto { lines.append("pages: auto") }
    if var pages {
      if !firstItem.isEmpty { pages.firstValue = nil }
      lines.append(pages.line)
    }
    lines += comment("poll")
    if let poll { lines.append("poll: \(poll)") }
    lines += comment("login") + comment("steps") + comment("each") + comment("model")
    if !model.isEmpty { lines += ["model:"] + model.map { "  \($0)" } }
    return (lines + comment("")).joined(separator: "\n") + "\n"
  }

  /// The first value of the item that the pager counts, if the request lacks it.
  private var firstItem: [(name: String, value: String)] {
    guard let pages, let first = pages.firstValue, let item = pages.countedItem, item.part == .query,
      !query.contains(where: { $0.name == item.name })
    else { return [] }
    return [(item.name, String(first))]
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
    "[\(values.map { YAMLScalar.text($0, inFlow: true) }.joined(separator: ", "))]"
  }

  private func comment(_ key: String) -> [String] {
    (comments[key] ?? []).map { $0.isEmpty ? "#" : "# \($0.shortened(to: Self.longestComment).printable)" }
  }
}

extension PagesProposal {
  /// The first value of the item that the pager counts.
  var firstNumber: Int { firstValue ?? (kind == .number ? 1 : 0) }
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

// A draft as the first of two steps.

extension SpecDraft {
  /// Returns the lines of a spec with the draft as its first step.
  ///
  /// - Parameters:
  ///   - next: the endpoint of the second step.
  ///   - keys: other lines of the second step.
  func steps(then next: String, _ keys: [String] = []) -> [String] {
    var defaults = SpecDraft()
    (defaults.headers, defaults.removedHeaders, defaults.auth) = (headers, removedHeaders, auth)
    var first = self
    (first.headers, first.removedHeaders, first.auth, first.comments) = ([], [], nil, [:])
    // Credentials beside 'steps' belong to the origin of a 'base'.
    let parts = endpoint.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    let rest = (parts.dropFirst(2).first ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let base = "\(parts[0])//\(rest.first ?? "")/"
    func relative(_ url: String) -> String {
      guard url.hasPrefix(base) else { return url }
      return url.count == base.count ? "./" : String(url.dropFirst(base.count))
    }
    first.endpoint = relative(endpoint)
    let shared = defaults.file.split(separator: "\n").filter { !$0.hasPrefix("endpoint:") }.map(String.init)
    let own = first.file.split(separator: "\n").filter { !$0.hasPrefix("#") }
    return ["base: \(YAMLScalar.text(base))"] + shared + ["steps:"]
      + own.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
      + ["  - endpoint: \(YAMLScalar.text(relative(next)))"] + keys.map { "    \($0)" }
  }
}

// The file of a draft: always a new file, so that no spec is replaced by a guess.

/// A file that does not exist yet.
package struct DraftFile: Sendable {
  private let path: String

  /// - Throws: `FileError` if there is such a file.
  package init(givenBy option: String, _ path: String) throws(FileError) {
    self.path = path
    try FileError.of(option) { () throws(FileError) in try Self.check(path) }
  }

  private static func check(_ path: String) throws(FileError) {
    let folder = OutputPath(path).folder
    let kind = try OutputPath.metadata(of: folder, calls: .system)?.kind
    guard kind == .folder else { throw .unmade(path, kind == nil ? .missing : .notFolder, .system) }
    let isThere = try OutputPath.metadata(of: path, calls: .system) != nil
    if isThere { throw .failed("'\(path.printable)' is there already: give another name, or remove it") }
  }

  package func write(_ text: String) throws(FileError) {
    var file = try AtomicFile(OutputPath(path))
    try file.write(Array(text.utf8))
    try file.finish()
  }
}
