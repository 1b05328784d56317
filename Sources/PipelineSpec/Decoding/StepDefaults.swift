import YAMLText

internal import Diagnostics

/// The keys beside `steps` that apply to each step that they fit, as if written there.
///
/// A step's own key replaces a default, and removes the defaults that would contradict it.
struct StepDefaults {
  private let entries: [Node.Entry]

  init(_ entries: [Node.Entry]) {
    let names = Set(SpecKeys.jobKeys.map(\.entry).filter { $0.besideSteps == .content }.map(\.name))
    self.entries = entries.filter { names.contains($0.key) }
  }

  /// Reports that an entry is one of these defaults, not a value with which every step starts.
  func has(_ entry: Node.Entry) -> Bool { entries.contains { $0.key == entry.key } }

  /// Returns the step with the defaults that fit it.
  func added(to step: Node) -> Node {
    guard case .map(let own) = step.content, !entries.isEmpty else { return step }
    let values = Dictionary(own.map { ($0.key, $0.value) }) { $1 }
    // A step without a request gets no content.
    guard values["endpoint"] != nil || values["download"] != nil else { return step }
    var fitting = entries.filter { values[$0.key] == nil && !Self.isUnfit($0.key, beside: values) }
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
    return Node(content: .map(own + fitting), range: step.range, spelling: step.spelling, isQuoted: step.isQuoted)
  }

  private static func isUnfit(_ name: String, beside own: [String: Node]) -> Bool {
    // The query of a file's URL may be signed.
    if own["download"] != nil { return NodeDecoder.ofPages.contains(name) || name == "query" }
    switch name {
    case "body", "form", "text": return NodeDecoder.bodyKinds.contains { own[$0] != nil }
    case "key", "columns": return own["contentIdentifier"] != nil || own["read"]?.isOtherThanJSON == true
    case "contentIdentifier": return own["read"]?.isOtherThanJSON == true
    case "batch": return !own.values.contains { $0.mentions("${inputs") }
    default: return false
    }
  }
}

extension Node {
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
