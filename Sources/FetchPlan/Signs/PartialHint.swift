// Answers that say that they are not whole: looked for on every page, beside the records.

package import JSONText
import PipelineSpec
import Wire

/// A member by which a response says that it is not whole.
struct PartialHint {
  let path: [String]
  /// Nil for a value that is too large to be kept.
  let value: JSONValue?
  let row: PageHint

  /// Objects inside one another that are searched.
  private static let levels = 3

  /// Returns the first such member of a page; nil if there is none.
  ///
  /// - Parameter isKnown: whether the job itself reads the value at a path.
  init?(in page: PageFacts, unless isKnown: ([String]) -> Bool) {
    let outline = page.body.outline
    let isRecord = page.body.isSingle && outline.allSatisfy { $0.path.count == 1 }
    guard !isRecord || Self.isEnvelope(outline) else { return nil }
    for member in outline where !(isRecord || member.isInner) || Self.isPlain(member) {
      let value = member.isWhole ? JSONValue(validated: member.text[...]) : nil
      if let found = Self.find(member.path, value, level: 0), !isKnown(found.path) {
        self = found
        return
      }
    }
    return nil
  }

  private init(_ path: [String], _ value: JSONValue?, _ row: PageHint) {
    (self.path, self.value, self.row) = (path, value, row)
  }

  /// True if a body that is one record has a list of others.
  private static func isEnvelope(_ outline: [EnvelopeMember]) -> Bool {
    outline.contains { $0.text.starts(with: "[{".utf8) || $0.path == ["hits"] }
  }

  /// True for a name that means the same in a record; other names may well be data there, or in an element at a `*`.
  private static func isPlain(_ member: EnvelopeMember) -> Bool {
    [
      "timedout", "shards", "unreachable", "unreachables", "partialresults", "incompleteresults", "requeststatus",
      "unprocessedkeys", "unprocesseditems",
    ]
    .contains(PageHint.normalized(member.path.last ?? ""))
      || member.isInner && member.path.last == "warning"
  }

  private static func find(_ path: [String], _ value: JSONValue?, level: Int) -> PartialHint? {
    guard let name = path.last, value?.saysNothing != true else { return nil }
    let container = PageHint.normalized(path.dropLast().last ?? "")
    let plain = PageHint.normalized(name)
    if let row = PageHint.partial(plain, in: container), case .partial(let values) = row.meaning,
      value.map({ values.hold(for: $0) }) ?? (values == .filled || values == .some)
    {
      return PartialHint(path, value, row)
    }
    guard let value, value.kind == .object, level < levels,
      PageHint.containers.contains(plain) || PageHint.reports.contains(plain)
    else { return nil }
    for member in value.members {
      if let found = find(path + [member.name], member.value, level: level + 1) { return found }
    }
    return nil
  }

  // MARK: In words

  /// The member with its value: `'timed_out' is true`.
  var text: String {
    let name = "'\(Self.name(of: path))'"
    guard let value else { return "\(name) has a long value" }
    if let message = value.message { return "\(name) says: \(message.shortened)" }
    return "\(name) is \(value.string.map { "'\($0.shortened)'" } ?? value.text.shortened)"
  }

  private static func name(of path: [String]) -> String { JSONPath(wildcards: path).description }

  /// The line that makes such an answer an error; nil if its words can't be written down.
  var failure: String? {
    let own = JSONPath(root: "body", path).yaml
    switch (row.meaning, value?.kind) {
    case (.partial(.words), .object):
      let name = ["type", "state"].first { value?[$0]?.isPartialWord == true } ?? "type"
      guard let word = PagesProposer.scalar(value?[name]?.string ?? "") else { return nil }
      return "failure: { \(JSONPath(root: "body", path + [name]).yaml): \(word) }"
    case (.partial(.yes), _), (.partial(.words), _), (_, .boolean):
      guard let value, let text = value.kind == .string ? PagesProposer.scalar(value.string ?? "") : value.text else {
        return nil
      }
      // A text that YAML would take for a boolean.
      let isFlag = value.kind == .string && value.flag != nil
      return "failure: { \(own): \(isFlag ? "\"\(text)\"" : text) }"
    case (_, .number): return "failure: { \(own): { above: 0 } }"
    default: return "failure: \(own)"
    }
  }
}

extension PageHint.Values {
  func hold(for value: JSONValue) -> Bool {
    switch self {
    case .yes: value.flag == true
    case .filled: value.kind != .number && value.hasProblem
    case .some: value.kind == .number ? value.count ?? 0 > 0 : value.hasProblem
    case .positive: value.count ?? 0 > 0
    case .words: value.isPartialWord || ["type", "state"].contains { value[$0]?.isPartialWord == true }
    }
  }
}

extension JSONValue {
  /// True for the usual values of a member that has nothing to say; a fast check, since it is made on every page.
  fileprivate var saysNothing: Bool {
    guard bytes.count <= 5, let first = bytes.first else { return false }
    switch first {
    case UInt8(ascii: "f"), UInt8(ascii: "n"): return true
    case UInt8(ascii: "0"): return bytes.count == 1
    case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""): return bytes.count == 2
    default: return false
    }
  }

  fileprivate var isPartialWord: Bool {
    string.map { PageHint.partialWords.contains(PageHint.normalized($0)) } ?? false
  }

  /// Words of warnings that concern no record: of an old interface, an index, a zone without records, a charset.
  private static let harmless = [
    "deprecat", "matchingindex", "noresultsonpage", "missingcharset", "superfluouscharset",
  ]

  private var isHarmless: Bool {
    guard let text = string.map({ PageHint.normalized($0) }) else { return false }
    return Self.harmless.contains { text.contains($0) }
  }

  /// True if a list of errors or warnings, or one of them, speaks of the answer.
  fileprivate var hasProblem: Bool {
    switch kind {
    case .null: return false
    case .boolean: return boolean == true
    case .number: return ![0, 200].contains(integer)
    case .string:
      // Beside records `no` is the answer to "any warnings?"; in place of them it is none.
      let text = string?.lowercased() ?? ""
      return text != "no" && !Self.noErrors.contains(text) && !isHarmless
    case .array: return elements.contains { $0.hasProblem }
    case .object:
      guard !isNoError else { return false }
      let parts = members.map(\.value)
      return !parts.contains(where: \.isHarmless) && parts.contains(where: \.hasProblem)
    }
  }

  /// The message in an error, or in the first of several.
  fileprivate var message: String? {
    switch kind {
    case .array: elements.first { $0.hasProblem }.flatMap { $0.kind == .array ? nil : $0.message ?? $0.string }
    case .object:
      ["message", "msg", "detail", "reason", "text", "title", "description", "info", "code"].lazy.compactMap {
        self[$0]?.string
      }.first
    case .string, .number, .boolean, .null: nil
    }
  }
}

/// A member that says that the server is still at work on what was asked for.
package struct WorkStatus {
  let names: [String]
  package let value: String

  /// Path at the answer.
  package var path: JSONPath { JSONPath(root: "body", names) }

  private static let words: Set = [
    "pending", "processing", "inprogress", "running", "queued", "submitted", "started", "accepted", "waiting",
    "scheduled", "working", "inqueue", "enqueued", "executing", "validating",
  ]
  /// Names of a status that any thing may have, such as an order.
  private static let commonNames: Set = ["status", "state"]
  private static let workNames: Set = [
    "jobstatus", "jobstate", "executionstatus", "reportstatus", "processingstatus", "querystatus", "runstatus",
    "progressstatus",
  ]
  /// Names of lists of what a server finds or computes; any other list is a part of a thing, as the refunds of an order.
  private static let lists: Set = [
    "results", "result", "rows", "records", "data", "items", "hits", "output", "outputs", "values", "entries",
    "content",
  ]
  /// Names of objects around the status of a server's work; any other is of a thing, or repeats the request.
  private static let holders: Set = [
    "meta", "metadata", "status", "state", "job", "task", "query", "search", "execution", "queryexecution", "operation",
    "run", "report", "export", "result", "response", "data", "stats", "statistics", "progress", "info",
  ]

  /// Finds the status in the answer or in an object of it; nil if there is none.
  package init?(in body: JSONValue) {
    guard let found = Self.find(in: body, []) else { return nil }
    self = found
  }

  /// Finds the status of a server's work beside a list that has no records; nil if there is none.
  ///
  /// - Parameters:
  ///   - list: name of the list.
  ///   - request: a status that it asks for is that of the records.
  init?(besideNothingIn page: PageFacts, _ list: String?, of request: Request) {
    guard page.body.recordCount == 0, !page.body.isSingle else { return nil }
    for member in page.body.outline where member.isWhole && !member.isInner {
      let value = JSONValue(validated: member.text[...])
      guard let name = member.path.last else { continue }
      let path = Array(member.path.dropLast())
      if let found = Self.find(in: JSONValue(members: [(name, value)]), path), found.isOfWork(list),
        !found.isAsked(by: request)
      {
        self = found
        return
      }
    }
    return nil
  }

  private init(_ names: [String], _ value: String) { (self.names, self.value) = (names, value) }

  private func isOfWork(_ list: String?) -> Bool {
    let letters = names.map(Self.letters)
    if letters.last.map(Self.workNames.contains) == true { return true }
    return list.map { Self.lists.contains(Self.letters(of: $0)) } == true
      && letters.dropLast().allSatisfy(Self.holders.contains)
  }

  private func isAsked(by request: Request) -> Bool {
    let path = request.url.text.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    return (path + RequestedPage(request).items.map(\.value)).contains { text in
      text.split(separator: ",").contains { Self.letters(of: String($0)) == Self.letters(of: value) }
    }
  }

  private static func find(in value: JSONValue, _ path: [String]) -> WorkStatus? {
    guard value.kind == .object, path.count < 3 else { return nil }
    for member in value.members {
      let name = letters(of: member.name)
      if commonNames.contains(name) || workNames.contains(name), let text = member.value.string,
        words.contains(letters(of: text))
      {
        return WorkStatus(path + [member.name], text)
      }
    }
    return value.members.lazy.compactMap { find(in: $0.value, path + [$0.name]) }.first
  }

  private static func letters(of text: String) -> String { text.lowercased().filter(\.isLetter) }
}

extension String {
  fileprivate var shortened: String { utf8.count > 100 ? prefix(100) + "…" : self }
}
