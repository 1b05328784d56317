import YAMLText

internal import Diagnostics

/// The keys beside `steps` or `streams`: those with which every step starts, and those that stand in each step they fit.
///
/// A step's own key replaces a default, and removes the defaults that would contradict it. The members of `headers`,
/// `query` and `retry` are merged one by one. `null` takes a default away: a key's, or a member's. A template that may have
/// no value in a run stands behind its default, which then counts.
struct StepDefaults {
  /// Values with which every step starts.
  private let settings: [Node.Entry]
  /// Keys that apply to each step that they fit, as if written there.
  private let contents: [Node.Entry]

  init(_ entries: [Node.Entry]) {
    let names = Set(SpecKeys.jobKeys.map(\.entry).filter { $0.besideSteps == .content }.map(\.name))
    contents = entries.filter { names.contains($0.key) }
    settings = entries.filter { !names.contains($0.key) }
  }

  /// Reports that an entry is one that stands in each step it fits, not a value with which every step starts.
  func has(_ entry: Node.Entry) -> Bool { contents.contains { $0.key == entry.key } }

  /// True if there is a default for a key.
  func has(_ key: String) -> Bool { (settings + contents).contains { $0.key == key } }

  /// Returns the defaults of the steps of a stream, which are these and the stream's own.
  func merged(with own: [Node.Entry]) -> [Node.Entry] {
    let (own, removed) = own.merged(over: settings + contents, merging: ["headers", "query", "retry"])
    let names = Set(own.filter { !$0.value.isTemplate }.map(\.key) + removed)
    return (settings + contents).filter { !names.contains($0.key) } + own
  }

  /// Names of the settings that a step takes away.
  func settingsRemoved(by step: Node) -> [String] {
    guard case .map(let own) = step.content else { return [] }
    return own.merged(over: settings, merging: []).removed
  }

  /// Returns the step with the defaults that fit it.
  func added(to step: Node) -> Node {
    guard case .map(let entries) = step.content, !settings.isEmpty || !contents.isEmpty else { return step }
    let (own, removed) = entries.merged(over: settings + contents, merging: ["query", "retry"])
    let values = Dictionary(own.map { ($0.key, $0.value) }) { $1 }
    // A step without a request gets no content.
    guard values["endpoint"] != nil || values["download"] != nil else {
      return step.keeping(own)
    }
    var fitting = contents.filter {
      values[$0.key]?.isTemplate != false && !removed.contains($0.key) && !Self.isUnfit($0.key, beside: values)
    }
    let all = Set((own + fitting).map(\.key))
    // One page needs no limit.
    let pages = (own + fitting).first { $0.key == "pages" }?.value.content
    var isLimited = pages != nil
    if case .string("one")? = pages { isLimited = false }
    if !isLimited { fitting.removeAll { $0.key == "maxPages" } }
    if !all.contains("contentIdentifier") {
      fitting.removeAll { $0.key == "key" || $0.key == "columns" && !all.contains("read") }
    }
    // Nothing for one of many input records is data; nothing for the only request is a mistake.
    let readsInput =
      ["each", "match"].contains { values[$0] != nil } || values.values.contains { $0.mentions("${input") }
    fitting = fitting.compactMap { entry in
      guard entry.key == "empty" else { return entry }
      let kept = entry.value.withoutUnfit(hasContent: all.contains("contentIdentifier"), readsInput: readsInput)
      return kept.map { Node.Entry(key: entry.key, keyRange: entry.keyRange, value: $0) }
    }
    let behind = own.filter { entry in fitting.contains { $0.key == entry.key } }
    let before = own.filter { entry in !fitting.contains { $0.key == entry.key } }
    return step.keeping(before + fitting + behind)
  }

  private static func isUnfit(_ name: String, beside own: [String: Node]) -> Bool {
    // The query of a file's URL may be signed.
    if own["download"] != nil { return SpecKeys.isUnfit(name, for: .files) || name == "query" }
    switch name {
    case "body", "form", "text": return NodeDecoder.bodyKinds.contains { own[$0] != nil }
    case "key", "columns": return own["contentIdentifier"] != nil || own["read"]?.isOtherThanJSON == true
    case "contentIdentifier": return own["read"]?.isOtherThanJSON == true
    case "batch": return !own.values.contains { $0.mentions("${inputs") }
    default: return false
    }
  }
}

extension [Node.Entry] {
  /// Returns these entries with the members that some of them have by default, and without those that are `null`.
  ///
  /// - Parameter merging: names of maps whose members are merged; any other entry replaces the default.
  /// - Returns: the entries, and the names of defaults that `null` takes away.
  fileprivate func merged(over defaults: [Node.Entry], merging: Set<String>) -> (
    entries: [Node.Entry], removed: [String]
  ) {
    let known = Dictionary(defaults.map { ($0.key, $0.value) }) { $1 }
    var removed: [String] = []
    let entries = compactMap { entry -> Node.Entry? in
      guard let standard = known[entry.key] else { return entry }
      if case .null = entry.value.content {
        removed.append(entry.key)
        return nil
      }
      guard merging.contains(entry.key) else { return entry }
      return Node.Entry(
        key: entry.key, keyRange: entry.keyRange, value: entry.value.merged(over: standard, named: entry.key))
    }
    return (entries, removed)
  }
}

extension Node {
  /// Returns this map with the members of another one that it does not have; `null` takes a member away.
  fileprivate func merged(over standard: Node, named key: String) -> Node {
    guard let own = members(of: key), let others = standard.members(of: key) else { return self }
    // Header fields have names without case, and `null` also removes a field that no default gives.
    let isHeader = key == "headers"
    func name(_ entry: Entry) -> String { isHeader ? entry.key.lowercased() : entry.key }
    let replaced = Dictionary(own.map { (name($0), $0) }) { $1 }
    var merged = others.flatMap { entry -> [Entry] in
      guard let new = replaced[name(entry)] else { return [entry] }
      if case .null = new.value.content, !isHeader { return [] }
      return key == "retry" && new.value.isTemplate ? [entry, new] : [new]
    }
    let known = Set(others.map(name))
    merged += own.filter { !known.contains(name($0)) }
    return keeping(merged)
  }

  /// Returns the members of a map, or of what is short for one; nil for another value.
  private func members(of key: String) -> [Entry]? {
    switch content {
    case .map(let entries): entries
    case .number where key == "retry": [Entry(key: "attempts", keyRange: range, value: self)]
    case .string where key == "retry" && isTemplate: [Entry(key: "attempts", keyRange: range, value: self)]
    default: nil
    }
  }

  /// True for a text with a template.
  fileprivate var isTemplate: Bool { if case .string(let text) = content { text.contains("${") } else { false } }

  fileprivate var isOtherThanJSON: Bool {
    if case .string("json") = content { false } else { true }
  }

  /// Returns this value of `empty` without what does not fit a step; nil if nothing is left.
  fileprivate func withoutUnfit(hasContent: Bool, readsInput: Bool) -> Node? {
    let nodes = if case .list(let nodes) = content { nodes } else { [self] }
    let kept = nodes.filter { if case .string("missing") = $0.content { hasContent } else { readsInput } }
    if kept.isEmpty { return nil }
    return kept.count == nodes.count
      ? self : Node(content: .list(kept), range: range, spelling: spelling, isQuoted: isQuoted)
  }

  /// Reports that a template begins so: `${inputs` reads the records of a batch.
  fileprivate func mentions(_ beginning: String) -> Bool {
    switch content {
    case .string(let text): text.contains(beginning)
    case .list(let nodes): nodes.contains { $0.mentions(beginning) }
    case .map(let entries): entries.contains { $0.value.mentions(beginning) }
    case .null, .boolean, .number: false
    }
  }
}
