// The path of a value inside another: the one notation for content, captures, conditions and templates.

/// Path from a value to a value inside it; the path without steps is the value itself.
///
/// Its text has names joined by dots, numbers for elements, `*` for every element or member, and `["any name"]` for a
/// name with other characters: `data.items`, `lines.0.sku`, `rates.*`, `["@odata.nextLink"]`.
package struct JSONPath: Hashable, Sendable, ExpressibleByArrayLiteral {
  package var steps: [JSONStep]

  package init(_ names: [String] = []) {
    steps = names.map { JSONStep($0) }
  }

  package init(_ steps: [JSONStep]) {
    self.steps = steps
  }

  /// Creates a path from names, of which `*` is every element.
  package init(wildcards names: [String]) {
    steps = names.map { $0 == "*" ? .every : JSONStep($0) }
  }

  package init(arrayLiteral names: String...) {
    self.init(names)
  }

  /// Creates the path to the root's member of that name.
  package init(rootKey name: String) {
    steps = [JSONStep(member: name)]
  }

  /// Reads the text of a path.
  package init(_ text: String) throws(PathError) {
    try self.init(text, reader: PathReader(Array(text.utf8)))
  }

  /// Reads the text of a path in which a NUL stands for each value that is not known yet, a piece of a name.
  package init(shape text: String) throws(PathError) {
    try self.init(text, reader: PathReader(Array(text.utf8), hasGaps: true))
  }

  private init(_ text: String, reader: PathReader) throws(PathError) {
    var reader = reader
    steps = []
    do {
      if let first = try reader.firstStep() {
        steps.append(first)
        while let step = try reader.nextStep() { steps.append(step) }
        if reader.isAtEnd { return }
      }
    } catch  where error.isUnclosed {
      throw error
    } catch {}
    throw PathError(text)
  }

  /// The path of every element or member of the value.
  package var every: JSONPath { JSONPath(steps + [.every]) }

  /// True if the path leads to more than one value.
  package var hasEvery: Bool { steps.contains(where: \.isEvery) }

  /// True if a `*` of the path stands for every element or member, not for several names.
  package var hasElements: Bool { steps.contains { $0.isEvery && $0.choices.isEmpty } }

  /// True if the path begins with the steps of another one.
  package func begins(with other: JSONPath) -> Bool { steps.starts(with: other.steps) }

  /// Returns the path to the member of that name in the value.
  package func member(_ name: String) -> JSONPath { JSONPath(steps + [JSONStep(name)]) }
}

// The path of content in several lists of one body.

extension JSONPath {
  /// Creates the path to the values of several paths, which differ in one name; nil if they differ otherwise.
  package init?(anyOf paths: [(path: JSONPath, isOptional: Bool)]) {
    guard let first = paths.first?.path, paths.allSatisfy({ $0.path.steps.count == first.steps.count }) else {
      return nil
    }
    let different = first.steps.indices.filter { index in
      paths.contains { $0.path.steps[index] != first.steps[index] }
    }
    guard different.count == 1, let index = different.first, !paths.contains(where: { $0.path.steps[index].isEvery })
    else { return nil }
    steps = first.steps
    steps[index] = JSONStep(
      choices: paths.map {
        JSONStep.Choice(step: $0.path.steps[index], path: $0.path.description, isOptional: $0.isOptional)
      })
  }

  /// Returns the one of several paths that leads along another path, or has a choice right behind it.
  package func along(_ found: JSONPath, choice: Int? = nil) -> JSONPath {
    guard let index = steps.firstIndex(where: { !$0.choices.isEmpty }) else { return self }
    var path = self
    if index < found.steps.count {
      path.steps[index] = found.steps[index]
    } else {
      path.steps[index] = steps[index].choices[choice ?? 0].step
    }
    return path
  }
}

extension JSONPath: CustomStringConvertible {
  /// The path's text; `.` for the path without steps.
  package var description: String {
    steps.isEmpty ? "." : steps.enumerated().map { index, step in step.text(isFirst: index == 0) }.joined()
  }

  /// The text after a root or another path: `.data.items`, `["any name"]`.
  package var suffix: String { steps.map { $0.text(isFirst: false) }.joined() }
}

extension JSONStep {
  fileprivate func text(isFirst: Bool) -> String {
    if !choices.isEmpty { return (isFirst ? "" : ".") + "(\(choices.map(\.step.name).joined(separator: "|")))" }
    if isEvery { return isFirst ? "*" : ".*" }
    // A quoted number is a member's name, and no element.
    let isPlain = PathReader.isPlain(name) && (index != nil || !name.utf8.allSatisfy(PathReader.isDigit))
    guard !isPlain else { return isFirst ? name : ".\(name)" }
    let quote = name.contains("\"") && !name.contains("'") ? "'" : "\""
    return "[\(quote)\(name.map { $0 == "\\" || String($0) == quote ? "\\\($0)" : String($0) }.joined())\(quote)]"
  }
}

/// Reads the steps of a path from UTF-8 text, in which other text may follow the path.
package struct PathReader {
  package let bytes: [UInt8]
  package private(set) var offset: Int
  private let end: Int
  /// True if a NUL stands for a piece of a name.
  private let hasGaps: Bool

  /// - Parameter end: offset at which the text of the path ends at the latest.
  package init(_ bytes: [UInt8], from offset: Int = 0, to end: Int? = nil, hasGaps: Bool = false) {
    (self.bytes, self.offset, self.end, self.hasGaps) = (bytes, offset, end ?? bytes.count, hasGaps)
  }

  package var isAtEnd: Bool { offset == end }

  /// Returns the first step of a path without a root, which has no dot before it; nil if none begins here.
  package mutating func firstStep() throws(PathError) -> JSONStep? {
    peek() == UInt8(ascii: "[") ? try quotedStep() : plainStep()
  }

  /// Returns the next step, after a dot or in brackets; nil if none follows.
  package mutating func nextStep() throws(PathError) -> JSONStep? {
    switch peek() {
    case UInt8(ascii: "["): return try quotedStep()
    case UInt8(ascii: "."):
      let dot = offset
      offset += 1
      guard let step = plainStep() else {
        throw PathError(
          "no name after '.'", dot..<dot + 1,
          "other names than letters, digits, '_' and '-' are written [\"any name\"]")
      }
      return step
    default: return nil
    }
  }

  private func peek() -> UInt8? { offset < end ? bytes[offset] : nil }

  private mutating func plainStep() -> JSONStep? {
    if peek() == UInt8(ascii: "*") {
      offset += 1
      return .every
    }
    let start = offset
    while let byte = peek(), Self.isPlain(byte) || byte == 0 && hasGaps { offset += 1 }
    return start == offset ? nil : JSONStep(String(decoding: bytes[start..<offset], as: UTF8.self))
  }

  private mutating func quotedStep() throws(PathError) -> JSONStep {
    let bracket = offset
    offset += 1
    guard let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw PathError(
        "no quote after '['", bracket..<bracket + 1, "write '.0' for an element, [\"any name\"] for a member")
    }
    offset += 1
    var name: [UInt8] = []
    while let byte = peek(), byte != quote {
      let next = offset + 1 < end ? bytes[offset + 1] : 0
      let isEscape = byte == UInt8(ascii: "\\") && (next == quote || next == byte)
      name.append(isEscape ? next : byte)
      offset += isEscape ? 2 : 1
    }
    offset += 1
    guard peek() == UInt8(ascii: "]") else {
      offset = min(offset, end)
      throw PathError(
        "'[' is not closed", bracket..<bracket + 1, "write [\"any name\"] or ['any name']", isUnclosed: true)
    }
    offset += 1
    return JSONStep(member: String(decoding: name, as: UTF8.self))
  }

  /// True for letters, digits, `_`, `-` and the bytes of other than ASCII characters, which form names without quotes.
  package static func isPlain(_ byte: UInt8) -> Bool {
    isDigit(byte) || (97...122).contains(byte | 0x20) && byte < 0x80 || byte >= 0x80 || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-")
  }

  static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  static func isPlain(_ name: String) -> Bool { !name.isEmpty && name.utf8.allSatisfy(isPlain) }
}

// Texts that are no paths: what is wrong, and the path that is probably meant.

/// A text that can't be read as a path.
package struct PathError: Error, Hashable, Sendable {
  /// What is wrong with the text.
  package let message: String
  /// What to write.
  package let advice: String?
  /// Part of the text, in bytes.
  package let range: Range<Int>
  /// The path that is probably meant.
  package let likely: JSONPath?

  /// True if a quoted name has no end.
  fileprivate let isUnclosed: Bool

  fileprivate init(_ message: String, _ range: Range<Int>, _ advice: String, isUnclosed: Bool = false) {
    (self.message, self.range, self.advice, likely, self.isUnclosed) = (message, range, advice, nil, isUnclosed)
  }

  /// Creates the error of a whole text, which has another notation or characters that must be quoted.
  package init(_ text: String) {
    let notation = OtherNotation(text)
    range = 0..<text.utf8.count
    likely = notation.path
    isUnclosed = false
    guard let likely else {
      message = "'\(text)' is not a path"
      advice = "write names joined by dots, such as 'data.items'"
      return
    }
    message = "'\(text)' \(notation.problem)"
    let isName = text.contains("/") && !text.hasPrefix("/") && !text.contains("[")
    advice = "write '\(likely)'" + (isName ? ", or '\(JSONPath(rootKey: text))' for one name" : "")
  }
}

/// A path in the notation of another tool: JSON Pointer, JSONPath, jq.
private struct OtherNotation {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  private var isPointer: Bool { text.hasPrefix("/") }
  private var isJSONPath: Bool { text.hasPrefix("$.") || text.hasPrefix("$[") }

  /// What distinguishes the text from a path, as the end of a sentence.
  var problem: String {
    if isPointer { return "is a JSON Pointer" }
    if isJSONPath { return "is JSONPath" }
    if text.hasPrefix(".") { return "begins with a dot" }
    if text.contains("[") { return "has brackets without quotes" }
    if text.contains("/") { return "has a slash" }
    if text.contains("..") || text.hasSuffix(".") { return "has an empty name" }
    return "has characters that need quotes"
  }

  /// The path that the text means; nil if it has no names.
  var path: JSONPath? {
    var steps: [JSONStep] = []
    var word = ""
    func end() {
      if !word.isEmpty { steps.append(word == "*" ? .every : JSONStep(word)) }
      word = ""
    }
    var rest = text.unicodeScalars[...]
    if isJSONPath { rest.removeFirst() }
    while let scalar = rest.popFirst() {
      switch scalar {
      case "/": end()
      case "~" where isPointer && rest.first.map { "01".unicodeScalars.contains($0) } == true:
        word += rest.removeFirst() == "0" ? "~" : "/"
      case ".":
        // The names of OData and JSON-LD have dots: `@odata.nextLink`.
        if isPointer || word.contains("@") { word += "." } else { end() }
      case "[" where !isPointer:
        end()
        let inside = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(inside.count + 1)
        steps.append(Self.step(inBrackets: String(inside)))
      default: word.unicodeScalars.append(scalar)
      }
    }
    end()
    // The elements of a list are its records.
    if !isPointer, text.hasSuffix("]"), steps.last?.isEvery == true { steps.removeLast() }
    return steps.isEmpty ? nil : JSONPath(steps)
  }

  private static func step(inBrackets text: String) -> JSONStep {
    if text.isEmpty || text == "*" { return .every }
    guard let quote = text.first, quote == "'" || quote == "\"", text.last == quote, text.count > 1 else {
      return JSONStep(text)
    }
    return JSONStep(member: String(text.dropFirst().dropLast()))
  }
}

extension String {
  /// Pieces between slashes, empty pieces too.
  ///
  /// A combining mark after a slash would form one character with the slash; the split by bytes keeps the mark in the
  /// piece.
  package var slashSeparated: [String] {
    utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }
}

/// One step from a value to a value inside it: a member's name, an element's index, or `*` for all of them.
///
/// The value decides between name and index: `0` is element 0 of an array, and member `"0"` of an object.
package struct JSONStep: Hashable, Sendable {
  /// Member's name, unescaped, compared byte for byte with decoded member names.
  package let name: String
  /// Element's index: `name` if it is `0` or has no leading zero, else nil.
  package let index: Int?
  /// True for `*`, which leads to every element or member, and for several names.
  package let isEvery: Bool
  /// The steps of a content in several lists of one body, such as `users` and `groups`; empty for all others.
  package let choices: [Choice]

  /// One of several names in a path.
  package struct Choice: Hashable, Sendable {
    package let step: JSONStep
    /// The whole path as the spec spells it, which `key` gives to a record.
    package let path: String
    package let isOptional: Bool
  }

  package static let every = JSONStep(every: "*")

  private init(every name: String) {
    self.name = name
    index = nil
    isEvery = true
    choices = []
  }

  /// Creates a step to each of several members or elements.
  init(choices: [Choice]) {
    name = "*"
    index = nil
    isEvery = true
    self.choices = choices
  }

  package init(_ name: String) {
    self.name = name
    isEvery = false
    choices = []
    let digits = name.utf8
    let isCanonical = digits.allSatisfy { (48...57).contains($0) } && (digits.count == 1 || digits.first != 48)
    self.index = isCanonical ? Int(name) : nil
  }

  /// Creates a step to a member, never to an element, whatever the name looks like.
  package init(member name: String) {
    self.name = name
    isEvery = false
    choices = []
    index = nil
  }
}
