// Decodes a spec from source: first nodes, then keys, then checks of whole jobs.

package import Diagnostics
package import JSONText
import YAMLText

extension Spec {
  /// Reads a spec, and reports every error at once.
  ///
  /// - Parameter fixedValues: the values of a run for templates that stand in place of constants; nil for samples.
  /// - Throws: `DiagnosticList`.
  package init(reading source: SourceText, _ fixedValues: FixedValues? = nil) throws(DiagnosticList) {
    let (node, unread) = Node.read(source)
    var decoder = NodeDecoder(source: source, fixedValues: fixedValues)
    let (parameters, jobs, streams) = decoder.file(node)
    guard unread.isEmpty else {
      // Values that could not be read left gaps; only diagnostics that hold in spite of the gaps are added.
      let lines = Set(unread.map { source.position(at: $0.range.lowerBound).line })
      let others = decoder.certain.filter { !lines.contains(source.position(at: $0.range.lowerBound).line) }
      throw DiagnosticList(source: decoder.shownSource, all: unread + others)
    }
    guard decoder.mistakes.isEmpty else {
      throw DiagnosticList(source: decoder.shownSource, all: decoder.mistakes)
    }
    var keys: [String] = []
    var positions: [String: SourcePosition] = [:]
    if case .map(let entries) = node.content {
      keys = entries.map(\.key)
      for entry in entries where entry.key == "params" {
        for parameter in decoder.entries(of: entry.value) ?? [] {
          positions[parameter.key] = source.position(at: parameter.keyRange.lowerBound)
        }
      }
    }
    self.init(
      name: source.name, source: source, parameters: parameters, jobs: jobs, streams: streams,
      sharesRetry: (keys.contains("steps") || keys.contains("streams")) && keys.contains("retry"),
      parameterPositions: positions)
  }
}

extension NodeDecoder {
  fileprivate mutating func file(_ node: Node) -> ([Spec.Parameter], [Job], [Spec.Stream]) {
    guard let entries = entries(of: node) else {
      let advice = "a spec is a map of keys; the smallest is 'endpoint: ' with a URL"
      if case .null = node.content {
        refuse("an empty spec", at: node.range, advice: advice)
      } else {
        refuse(node, expected: "a map", advice: advice)
      }
      return ([], [], [])
    }
    let fileNames = Set(SpecKeys.file.map(\.name))
    var file = FileDraft()
    // Parameters first, since the templates of every other key may name them.
    map(node.keeping(entries.filter { $0.key == "params" }), keys: SpecKeys.fileKeys, into: &file)
    parameters = mistakes.isEmpty ? file.parameters.map(\.name) : nil
    for parameter in file.parameters {
      parameterDefaults[parameter.name] = parameter.standard.map { $0.string ?? $0.text }
    }
    map(
      node.keeping(entries.filter { fileNames.contains($0.key) && $0.key != "params" }), keys: SpecKeys.fileKeys,
      into: &file)

    let rest = node.keeping(entries.filter { !fileNames.contains($0.key) })
    if let streams = file.streams {
      if file.steps != nil, let key = entries.first(where: { $0.key == "steps" }) {
        refuse(
          "'steps' beside 'streams'", at: key.keyRange,
          advice: "write them in a stream: 'streams: { NAME: { steps: […] } }'")
      }
      let all = self.streams(streams, defaults: rest)
      return (file.parameters, all.flatMap(\.jobs), all)
    }
    guard let steps = file.steps else { return (file.parameters, [single(rest, in: node)], []) }
    var names: Set<String> = []
    var drafts = self.steps(steps, defaults: rest, beside: "steps", among: &names)
    checkUse(of: self.entries(of: rest) ?? [], in: drafts)
    checkMembers(in: drafts)
    resolveSince(&drafts)
    return (file.parameters, drafts.map(\.job), [])
  }

  /// Decodes a file of one job.
  private mutating func single(_ rest: Node, in node: Node) -> Job {
    var draft = JobDraft()
    draft.read(rest, keys: SpecKeys.jobKeys, &self, others: SpecKeys.file.map(\.name))
    draft.range = entries(of: node)?.first?.keyRange ?? node.range
    check(&draft, isFirst: true)
    if draft.own["name"] == nil { draft.job.name = source.fileName }
    var drafts = [draft]
    resolveSince(&drafts)
    return drafts[0].job
  }

  /// Decodes jobs of which each but the first reads what the one before it writes.
  ///
  /// - Parameters:
  ///   - node: the keys beside them.
  ///   - parent: the key that they stand in, `steps` or `streams`.
  ///   - stream: the stream that they are, if any, and the stream that the first reads, if any.
  ///   - names: names of jobs so far.
  mutating func steps(
    _ steps: [Node], defaults node: Node, beside parent: String, of stream: (name: String, source: String?)? = nil,
    among names: inout Set<String>
  ) -> [JobDraft] {
    let written = StepDefaults(entries(of: node) ?? [])
    let hint: Hint = { name in
      guard SpecKeys.job.contains(where: { $0.name == name }) else { return nil }
      return ("'\(name)' can't stand beside '\(parent)'", "move it into a \(parent.dropLast())")
    }
    let (first, second) = (entries(of: node) ?? []).partitioned(by: written.has)
    var (defaults, unread) = (JobDraft(), JobDraft())
    let others = SpecKeys.file.map(\.name)
    defaults.read(node.keeping(first), keys: SpecKeys.defaultKeys, &self, others: others, hint: hint)
    // Check the defaults that no step uses, too.
    unread.read(node.keeping(second), keys: SpecKeys.defaultKeys, &self)
    _ = takeFixed()
    return steps.enumerated().map { index, step in
      let step = withoutVainNulls(step, written)
      var draft = defaults.inheriting()
      let removed = written.settingsRemoved(by: step)
      if !removed.isEmpty {
        var fewer = JobDraft()
        let rest = first.filter { !removed.contains($0.key) }
        fewer.read(node.keeping(rest), keys: SpecKeys.defaultKeys, &self, others: others, hint: hint)
        draft = fewer.inheriting()
        _ = takeFixed()
      }
      draft.read(written.added(to: step), keys: SpecKeys.jobKeys, &self) { name in
        guard SpecKeys.file.contains(where: { $0.name == name }) else { return nil }
        return ("'\(name)' can't stand in a step", "move it to the top of the file")
      }
      if case .map = step.content { check(&draft, isFirst: index == 0 && stream?.source == nil) }
      nameStep(&draft, number: index + 1, of: steps.count, in: stream?.name, among: &names)
      return draft
    }
  }

  /// Returns a step without the keys that are null and take no default away, each of which is a mistake.
  mutating func withoutVainNulls(_ step: Node, _ defaults: StepDefaults) -> Node {
    guard case .map(let entries) = step.content else { return step }
    let kept = entries.filter { entry in
      guard case .null = entry.value.content, SpecKeys.jobKeys.contains(where: { $0.entry.name == entry.key }) else {
        return true
      }
      return entry.key == "endpoint" || entry.key == "name" || defaults.has(entry.key)
    }
    for entry in entries where !kept.contains(where: { $0.keyRange == entry.keyRange }) {
      refuse(
        "'\(entry.key)' is null, which takes a default away, and there is none", at: entry.keyRange,
        advice: "leave '\(entry.key)' out")
    }
    return kept.count == entries.count ? step : step.keeping(kept)
  }

  /// Checks that keys of a request do not stand beside steps without one.
  mutating func checkUse(of entries: [Node.Entry], in drafts: [JobDraft]) {
    let written = StepDefaults(entries)
    guard !drafts.contains(where: { $0.own["endpoint"] != nil || $0.own["download"] != nil }) else { return }
    for entry in entries where written.has(entry) && !drafts.contains(where: { $0.own[entry.key] != nil }) {
      if case .null = entry.value.content { continue }
      refuse(
        "no step takes '\(entry.key)'", at: entry.keyRange,
        advice: "it is about what a request gives: write it where that is fetched, or leave it out")
    }
  }

  /// Names a step by its own `name`; otherwise a stream's last step by the stream, and others by their number.
  private mutating func nameStep(
    _ draft: inout JobDraft, number: Int, of count: Int, in stream: String?, among names: inout Set<String>
  ) {
    guard let key = draft.own["name"] else {
      draft.job.name =
        number == count ? stream ?? "\(source.fileName)#\(number)" : "\(stream ?? source.fileName)#\(number)"
      return
    }
    if !draft.job.name.isEmpty, !names.insert(draft.job.name).inserted {
      refuse(
        "two steps with the name '\(draft.job.name.printable)'", at: key.value.range,
        advice: "give each step a name of its own")
    }
  }
}

extension Node {
  /// Returns this map with some of its entries.
  func keeping(_ entries: [Entry]) -> Node {
    Node(content: .map(entries), range: range, spelling: spelling, isQuoted: isQuoted)
  }
}

extension Array {
  /// Returns the elements for which a condition does not hold, and those for which it does.
  fileprivate func partitioned(by holds: (Element) -> Bool) -> ([Element], [Element]) {
    (filter { !holds($0) }, filter(holds))
  }
}

extension SourceText {
  /// The name without its folders.
  fileprivate var fileName: String {
    name.split(separator: "/").last.map(String.init) ?? name
  }
}

// Templates where a spec has a constant: a number, or what a condition compares. They read what is fixed for a run.

/// The values of templates that are the same for a whole run.
///
/// A spec is read twice if it has such templates: first with samples, so that every mistake is found without a run, and
/// then with these values, when parameters, environment and clock are known.
package struct FixedValues {
  /// Returns the value; nil if it is missing.
  let value: (Template) -> JSONValue?
  /// True if no variable has its value, as in a replay.
  let hidesVariables: Bool

  package init(hidesVariables: Bool, _ value: @escaping (Template) -> JSONValue?) {
    (self.value, self.hidesVariables) = (value, hidesVariables)
  }
}

extension Spec {
  /// True if a job has templates in place of constants.
  package var hasFixedTemplates: Bool { jobs.contains { !$0.fixed.isEmpty } }

  /// Returns the spec with the values of a run in place of the templates that are fixed for it.
  ///
  /// - Throws: `DiagnosticList` for values that the keys can't take.
  package func fixing(_ values: FixedValues) throws(DiagnosticList) -> Spec {
    guard hasFixedTemplates else { return self }
    var spec = self
    let all = try Spec(reading: source, values).jobs
    // A run may have some of the jobs only, begin at a later one, or pass records from one stream to another.
    spec.jobs = jobs.map { job in
      guard var fixed = all.first(where: { $0.position == job.position && $0.name == job.name }) else { return job }
      fixed.savesMark = job.savesMark
      return fixed
    }
    (spec.jobs[0].each, spec.jobs[0].eachBefore) = (jobs[0].each, jobs[0].eachBefore)
    return spec
  }
}

extension Node {
  /// Returns the scalar with another value.
  ///
  /// - Parameter readsNumber: whether a text that is a number is one, as the command line has no others.
  func with(_ value: JSONValue, readsNumber: Bool = false) -> Node {
    if value.kind == .array {
      return Node(content: .list(value.elements.map { with($0) }), range: range, spelling: value.text)
    }
    let text = value.string ?? value.text
    let number =
      readsNumber ? (try? JSONValue(parsing: Array(text.utf8))).flatMap { $0.kind == .number ? $0 : nil } : nil
    let content: Content =
      switch (number ?? value).kind {
      case .number: .number(text)
      case .boolean: .boolean(value.boolean == true)
      case .string, .null, .array, .object: .string(text)
      }
    return Node(content: content, range: range, spelling: text, isQuoted: true)
  }

  /// The text, number, boolean or null; nil for a list or a map.
  var scalar: JSONValue? { if case .string(let text) = content { JSONValue(text) } else { constant } }
}
