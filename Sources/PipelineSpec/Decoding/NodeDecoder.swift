// Decodes nodes into values. Every reader reports what it expected and continues, so that all errors are found at once.

import YAMLText

internal import Diagnostics
internal import JSONText

struct NodeDecoder {
  let source: SourceText
  private(set) var mistakes: [Diagnostic] = []
  /// Diagnostics that hold in any case: unknown keys, and values of the wrong kind.
  ///
  /// They are reported even for a file that is not fully valid YAML.
  private(set) var certain: [Diagnostic] = []
  /// Parameters that the file declares, for templates that name them; nil while they are not known.
  var parameters: [String]? {
    didSet { declared = Set(parameters ?? []) }
  }
  private var declared: Set<String> = []
  /// The parameters' defaults, as templates read them.
  var parameterDefaults: [String: String] = [:]
  /// The values that are fixed for a run; nil while no run is planned.
  private let fixedValues: FixedValues?
  /// Templates that were read as fixed values, until a job takes them.
  private(set) var fixedTemplates: [FixedTemplate] = []
  /// Templates of the condition that is decoded which read the input record; nil if none can.
  var givenTemplates: [Template]?
  /// True while a key is read whose value decides nothing about the records.
  private var readsChangeable = false
  /// Right names of misspelt keys; the author meant to give them, so they are not reported as missing.
  private(set) var suggested: Set<String> = []
  /// Ranges of holes by their places (`key`).
  private var holeRanges: [Int: Range<Int>] = [:]

  /// Returns a message for a key in the wrong place of a spec; nil leaves the key to did-you-mean.
  typealias Hint = (String) -> (message: String, advice: String?)?

  /// The source as messages show it, without plain-text credentials; created for the first diagnostic.
  private(set) lazy var shownSource = source.hiding(CredentialLiterals(in: source).ranges)

  init(source: SourceText, fixedValues: FixedValues? = nil) {
    self.source = source
    self.fixedValues = fixedValues
  }

  // MARK: Diagnostics

  mutating func refuse(_ message: String, at range: Range<Int>, advice: String? = nil) {
    mistakes.append(Diagnostic(message, at: range, advice: advice))
  }

  /// Adds a diagnostic that holds whatever the rest of the file says.
  private mutating func refuseForCertain(_ message: String, at range: Range<Int>, advice: String?) {
    refuse(message, at: range, advice: advice)
    certain.append(Diagnostic(message, at: range, advice: advice))
  }

  mutating func refuse(_ node: Node, expected: String, advice: String? = nil) {
    // A message may spell a text otherwise than the source.
    let isHidden = shownSource.hides(node.range)
    let message = "expected \(expected), found \(isHidden ? node.kindDescription : node.description)"
    // A value that could not be read stands as null.
    if case .null = node.content { return refuse(message, at: node.range, advice: advice) }
    refuseForCertain(message, at: node.range, advice: advice)
  }

  mutating func add(_ others: [Diagnostic]) { mistakes += others }

  /// Returns the candidate nearest to a name.
  ///
  /// Only the first diagnostics get a suggestion: the work is the product of wrong names and candidates.
  func suggestion(for name: String, among candidates: [String]) -> String? {
    mistakes.count < 100 ? nearest(to: name, in: candidates) : nil
  }

  // MARK: Maps

  func entries(of node: Node) -> [Node.Entry]? {
    if case .map(let entries) = node.content { entries } else { nil }
  }

  /// Returns the entries of a map that has data as names: members, headers, query items.
  mutating func named(
    _ node: Node, expected: String, advice: String? = "write '{ name: value }'"
  ) -> [Node.Entry]? {
    guard let entries = entries(of: node) else {
      let likely = likelyMap(node).map { "write '\($0)'" }
      refuse(node, expected: expected, advice: likely ?? advice)
      return nil
    }
    for entry in entries where entry.key.contains("${") {
      refuse(
        "a template in a name", at: entry.keyRange, advice: "write the name itself: templates are read in values only")
    }
    return entries
  }

  /// Reads a map that has keys of the language as names; returns nil if the node is no map.
  ///
  /// - Parameter others: further valid keys, which another pass reads; for did-you-mean.
  @discardableResult
  mutating func map<Target>(
    _ node: Node, keys: [Key<Target>], into target: inout Target, others: [String] = [], hint: Hint = { _ in nil }
  ) -> [Node.Entry]? {
    let names = keys.map(\.entry.name) + others
    guard let entries = entries(of: node) else {
      refuse(node, expected: "a map", advice: Self.keys(names) ?? "write 'key: value' lines")
      return nil
    }
    for entry in entries {
      if let key = keys.first(where: { $0.entry.name == entry.key }) {
        let outer = readsChangeable
        readsChangeable = outer || key.entry.mayChange
        key.read(entry.value, &target, &self)
        readsChangeable = outer
      } else {
        refuseKey(entry, names: names, hint: hint)
      }
    }
    // Keys of a job may also stand beside `steps`.
    if Target.self != JobDraft.self { checkCompanions(keys.map(\.entry), entries, at: node.range) }
    return entries
  }

  /// Checks that keys have those that they need beside them, and none that they exclude.
  ///
  /// Of two keys that exclude each other, the later one in the map is refused.
  mutating func checkCompanions(_ keys: [KeyEntry], _ entries: [Node.Entry], at range: Range<Int>) {
    for key in keys where key.needs?.advice != nil || key.excludes?.advice != nil {
      guard let index = entries.firstIndex(where: { $0.key == key.name }) else { continue }
      let names = entries.map(\.key)
      if let needs = key.needs, needs.advice != nil, suggested.union(names).isDisjoint(with: needs.names) {
        let others = needs.names.map { "'\($0)'" }.joined(separator: " or ")
        let at = needs.isOfMap ? range : entries[index].keyRange
        refuse("'\(key.name)' without \(others)", at: at, advice: needs.advice)
      }
      guard let excludes = key.excludes, excludes.advice != nil else { continue }
      let back = keys.filter { $0.excludes?.names.contains(key.name) == true }.map(\.name)
      let other =
        names[..<index].first { excludes.names.contains($0) && back.contains($0) }
        ?? excludes.names.first { names.contains($0) && !back.contains($0) }
      if let other {
        refuse("'\(key.name)' beside '\(other)'", at: entries[index].keyRange, advice: excludes.advice)
      }
    }
  }

  /// Returns the keys of a map as advice; nil if they are too many for a line.
  private static func keys(_ names: [String]) -> String? {
    if names.count == 2 { return "write '{ \(names[0]): …, \(names[1]): … }'" }
    return names.count < 20 ? "its keys are \(names.joined(separator: ", "))" : nil
  }

  private mutating func refuseKey(_ entry: Node.Entry, names: [String], hint: Hint) {
    if let (message, advice) = hint(entry.key) {
      refuse(message, at: entry.keyRange, advice: advice)
      return
    }
    let borrowed = BorrowedName.key(for: entry.key, among: names)
    if borrowed == nil, let (message, advice) = remedy(for: entry, among: names) {
      refuseForCertain(message, at: entry.keyRange, advice: advice)
      // The requests are in it.
      if entry.key == "resources" { suggested.insert("endpoint") }
      return
    }
    let near = borrowed ?? suggestion(for: entry.key, among: names)
    if let near { suggested.insert(near) }
    refuseForCertain(
      "unknown key '\(entry.key.printable)'", at: entry.keyRange,
      advice: near.map { "did you mean '\($0)'?" } ?? Self.keys(names) ?? "'pagecat schema' prints all keys")
  }

  // MARK: Scalars

  mutating func string(_ node: Node, expected: String, advice: String? = nil) -> String? {
    if case .string(let text) = node.content { return text }
    let advice = node.isPlainScalar ? "quote it: \"\(node.spelling.printable)\"" : advice
    refuse(node, expected: expected, advice: advice)
    return nil
  }

  /// Returns a name: text that is not empty and has no templates.
  mutating func name(_ node: Node, expected: String, advice: String? = nil) -> String? {
    if case .boolean = node.content {
      refuse(node, expected: expected, advice: advice)
      return nil
    }
    guard let text = string(node, expected: expected, advice: advice) else { return nil }
    guard !text.isEmpty else {
      refuse("expected \(expected), found an empty one", at: node.range, advice: advice)
      return nil
    }
    return refusesTemplate(text, node) ? nil : text
  }

  /// Returns the templates that were read as fixed values since the last call.
  mutating func takeFixed() -> [FixedTemplate] {
    defer { fixedTemplates = [] }
    return fixedTemplates
  }

  /// Returns a scalar that may be a template of what is fixed for a run, with the value in its place.
  ///
  /// Nil after a diagnostic, and if the run has no value; then the key counts as not given.
  ///
  /// - Parameters:
  ///   - sample: the value while no run is planned.
  ///   - isText: false for numbers and words, which a text that a recording hides can't be.
  mutating func fixed(_ node: Node, sample: JSONValue, isText: Bool = false) -> Node? {
    guard let text = templateText(node) else { return node }
    guard let template = template(text, node, .fixed) else { return nil }
    if let literal = template.literal { return node.with(JSONValue(literal)) }
    fixedTemplates.append(FixedTemplate(template: template, mayChange: readsChangeable))
    guard let fixedValues else { return node.with(sample) }
    if !isText, fixedValues.hidesVariables, template.holes.contains(where: { $0.variable != nil }) { return nil }
    guard let value = fixedValues.value(template), !value.isNull, value.string != "" else { return nil }
    return node.with(value, readsNumber: !isText)
  }

  /// The text of a node with a template in it; nil for any other node.
  func templateText(_ node: Node) -> String? {
    if case .string(let text) = node.content, text.contains("${") { text } else { nil }
  }

  /// True if samples stand for the templates that were read after the first ones.
  func hasSamples(after count: Int) -> Bool { fixedValues == nil && fixedTemplates.count > count }

  mutating func refusesTemplate(_ text: String, _ node: Node, advice: String = "write the text itself") -> Bool {
    guard text.contains("${") else { return false }
    refuse("no template can stand here", at: node.range, advice: advice)
    return true
  }

  mutating func integer(
    _ node: Node, in range: ClosedRange<Int>, expected: String, advice: String? = nil, sample: Int? = nil
  ) -> Int? {
    guard let node = fixed(node, sample: JSONValue(sample ?? range.lowerBound)) else { return nil }
    guard case .number(let text) = node.content, let number = Int(text) else {
      var likely: String?
      if case .string(let text) = node.content, let number = Int(text), range.contains(number) {
        likely = "write \(number), without quotes"
      }
      refuse(node, expected: expected, advice: likely ?? advice)
      return nil
    }
    guard range.contains(number) else {
      let near = "write \(min(max(number, range.lowerBound), range.upperBound))"
      refuse("expected \(expected), found \(node.spelling.printable)", at: node.range, advice: advice ?? near)
      return nil
    }
    return number
  }

  mutating func status(_ node: Node) -> Int? {
    integer(
      node, in: 100...599, expected: "an HTTP status", advice: "write a number from 100 to 599", sample: 404)
  }

  mutating func boolean(_ node: Node) -> Bool? {
    if templateText(node) != nil {
      guard let node = fixed(node, sample: JSONValue(true)) else { return nil }
      // The command line has only texts.
      if let value = Bool(node.spelling) { return value }
      refuse(node, expected: "true or false")
      return nil
    }
    if case .boolean(let value) = node.content { return value }
    var advice: String?
    if case .string(let text) = node.content {
      let isTrue = ["yes", "on", "true", "y"].contains(text.lowercased())
      if isTrue || ["no", "off", "false", "n"].contains(text.lowercased()) { advice = "write \(isTrue)" }
    }
    refuse(node, expected: "true or false", advice: advice)
    return nil
  }

  /// Returns one of a few words.
  mutating func word<Word: RawRepresentable & CaseIterable>(_ node: Node, _ type: Word.Type) -> Word?
  where Word.RawValue == String {
    word(node, among: Array(Word.allCases))
  }

  /// Returns one of these words.
  mutating func word<Word: RawRepresentable>(_ node: Node, among all: [Word]) -> Word? where Word.RawValue == String {
    let words = all.map(\.rawValue)
    guard let node = fixed(node, sample: JSONValue(words.first ?? "")) else { return nil }
    let expected = words.map { "'\($0)'" }.joined(separator: ", ")
    guard case .string(let text) = node.content else {
      refuse(node, expected: "one of \(expected)")
      return nil
    }
    if let word = all.first(where: { $0.rawValue == text }) { return word }
    let near = BorrowedName.word(for: text, among: words) ?? suggestion(for: text, among: words)
    refuse(
      "expected one of \(expected), found '\(text.printable)'", at: node.range,
      advice: near.map { "did you mean '\($0)'?" })
    return nil
  }

  // MARK: Templates

  mutating func template(
    _ node: Node, _ site: TemplateSite, expected: String, advice: String? = nil
  ) -> Template? {
    guard let text = string(node, expected: expected, advice: advice) else { return nil }
    return template(text, node, site)
  }

  /// Returns a node's text as a template, or nil after a diagnostic.
  mutating func template(_ text: String, _ node: Node, _ site: TemplateSite) -> Template? {
    template(TemplateParser(LocatedText(text, of: node, in: source), in: source), node, site)
  }

  /// Returns a path with its root, such as `body.next`, as a template, or nil after a diagnostic.
  mutating func rootedPath(_ text: String, _ node: Node, _ site: TemplateSite) -> Template? {
    template(TemplateParser(path: LocatedText(text, of: node, in: source), in: source), node, site)
  }

  private mutating func template(_ parser: TemplateParser, _ node: Node, _ site: TemplateSite) -> Template? {
    let before = mistakes.count
    let template = Template(pieces: parser.pieces, position: source.position(at: node.range.lowerBound))
    add(parser.mistakes)
    for (hole, range) in zip(template.holes, parser.holeRanges) {
      holeRanges[Self.key(hole.position)] = range
      check(hole, at: range, site)
    }
    return mistakes.count == before ? template : nil
  }

  /// Returns the range of a hole in the source.
  func range(of hole: Template.Hole) -> Range<Int> { holeRanges[Self.key(hole.position)] ?? 0..<0 }

  /// Refuses a template whose root can't be read where it stands.
  mutating func refuse(_ hole: Template.Hole, advice: String) {
    refuse("'\(hole.root.rawValue)' can't be read here", at: range(of: hole), advice: advice)
  }

  /// Returns a position as one number.
  ///
  /// A dictionary whose key is a type of our own costs each start a search for its `Hashable` conformance.
  private static func key(_ position: SourcePosition) -> Int { position.line << 32 | position.column }

  private mutating func check(_ hole: Template.Hole, at range: Range<Int>, _ site: TemplateSite) {
    if let reason = site.refusal(of: hole) {
      refuse(hole, advice: reason)
    }
    if hole.isPath, site != .endpoint {
      refuse(
        "':path' can't stand here", at: range,
        advice: "it is for several segments of a path: 'endpoint', and 'url' of 'download', can have it")
    }
    if hole.isEncoded, ![.endpoint, .item, .pages].contains(site) {
      refuse(
        "':encoded' can't stand here", at: range,
        advice:
          "it is for a value that is percent-encoded already: 'endpoint', 'query', 'form', and 'from' and 'next' of "
          + "'pages', can have it")
    }
    guard hole.root == .param, let parameters, let name = hole.path.steps.first?.name, !declared.contains(name) else {
      return
    }
    let near = suggestion(for: name, among: parameters)
    refuse(
      "parameter '\(name.printable)' is not declared", at: range,
      advice: near.map { "did you mean '\($0)'?" }
        ?? "declare it at the top of the file: 'params: { \(name.printable): null }'")
  }

  /// Returns any value, with templates in its strings.
  mutating func value(_ node: Node, _ site: TemplateSite) -> TemplateValue? {
    switch node.content {
    case .string(let text):
      return template(text, node, site).map { .string($0) }
    case .list(let nodes):
      let values = nodes.map { value($0, site) }
      return values.contains { $0 == nil } ? nil : .list(values.compactMap { $0 })
    case .map:
      return members(node, site, expected: "a map").map { .map($0) }
    case .null, .boolean, .number:
      return node.constant.map { .constant($0, spelling: node.spelling) }
    }
  }

  mutating func members(_ node: Node, _ site: TemplateSite, expected: String) -> [TemplateValue.Member]? {
    guard let entries = named(node, expected: expected) else { return nil }
    let members = entries.map { entry in
      value(entry.value, site).map { TemplateValue.Member(name: entry.key, value: $0) }
    }
    return members.contains { $0 == nil } ? nil : members.compactMap { $0 }
  }
}
