// `streams`: the jobs of a file with several outputs.

import YAMLText

internal import Diagnostics
internal import Primitives

extension NodeDecoder {
  /// Returns the entries of `streams`, or none if the node is no map.
  mutating func streams(_ node: Node) -> [Node.Entry] {
    guard let entries = entries(of: node) else {
      var name = "NAME"
      if case .list(let nodes) = node.content, case .map(let first)? = nodes.first?.content,
        case .string(let text)? = first.first(where: { $0.key == "name" })?.value.content
      {
        name = text.printable
      }
      refuse(node, expected: "a map of names and steps", advice: "write '\(name): { … }' for each")
      return []
    }
    if entries.isEmpty {
      refuse("no stream in 'streams'", at: node.range, advice: "write each as 'NAME: { endpoint: … }'")
    }
    return entries
  }

  /// Decodes the streams of a file.
  ///
  /// - Parameter node: the keys beside `streams`.
  mutating func streams(_ entries: [Node.Entry], defaults node: Node) -> [Spec.Stream] {
    var names = Set(entries.map(\.key))
    var drafts: [(name: String, source: Node.Entry?, drafts: [JobDraft])] = []
    for entry in entries {
      checkName(entry, among: entries)
      guard let own = ownEntries(of: entry) else { continue }
      let source = own.first { $0.key == "of" }
      let sourceName = source.flatMap { name($0.value, expected: "the name of a stream") }
      let stream = (name: entry.key, source: source == nil ? nil : sourceName ?? "")
      let rest = own.filter { $0.key != "of" && $0.key != "steps" }
      let body = Node(content: .map(rest), range: entry.value.range, spelling: entry.value.spelling, isQuoted: false)
      var jobs: [JobDraft]
      if let key = own.first(where: { $0.key == "steps" }) {
        let defaults = StepDefaults(self.entries(of: node) ?? [])
        let own = self.entries(of: withoutVainNulls(body, defaults)) ?? []
        let merged = body.keeping(defaults.merged(with: own))
        jobs = steps(steps(key.value), defaults: merged, beside: "steps", of: stream, among: &names)
        checkUse(of: rest, in: jobs)
      } else {
        jobs = steps([body.asJob(named: entry)], defaults: node, beside: "streams", of: stream, among: &names)
      }
      resolveSince(&jobs)
      if sourceName == nil, source == nil, let first = jobs.first, first.isWhole, first.job.readsInput {
        refuse(
          "'\(entry.key.printable)' reads records, and nothing gives it any", at: entry.keyRange,
          advice: "write 'of: NAME' for the stream that gives them")
      }
      drafts.append((entry.key, source, jobs))
    }
    return joined(drafts, entries)
  }

  /// Checks which streams read which, and returns all.
  private mutating func joined(
    _ drafts: [(name: String, source: Node.Entry?, drafts: [JobDraft])], _ entries: [Node.Entry]
  ) -> [Spec.Stream] {
    let names = entries.map(\.key)
    var sources: [String: String] = [:]
    for (name, source, _) in drafts {
      guard let source, case .string(let given) = source.value.content else { continue }
      if !names.contains(given) {
        let near = suggestion(for: given, among: names).map { "did you mean '\($0.printable)'?" }
        refuse(
          "no stream is called '\(given.printable)'", at: source.value.range,
          advice: near ?? "there are \(names.map { "'\($0.printable)'" }.joined(separator: ", "))")
        continue
      }
      sources[name] = given
    }
    for (name, source, own) in drafts {
      var line = [name]
      while let next = sources[line[line.count - 1]], line.count <= names.count {
        line.append(next)
        guard next == name, let source else { continue }
        let way = line.map { "'\($0.printable)'" }.joined(separator: " of ")
        refuse("a stream that reads itself: \(way)", at: source.value.range, advice: "let one of them read no other")
        break
      }
      if Set(line).count == line.count {
        let before = line.dropFirst().reversed().flatMap { name in drafts.first { $0.name == name }?.drafts ?? [] }
        checkMembers(in: before + own)
      }
    }
    return drafts.map { name, source, own in
      Spec.Stream(
        name: name, source: sources[name], jobs: own.map(\.job),
        position: self.source.position(
          at: (entries.first { $0.key == name }?.keyRange ?? source?.keyRange ?? 0..<0).lowerBound))
    }
  }

  /// Returns the keys of a stream; nil if it is no map.
  private mutating func ownEntries(of entry: Node.Entry) -> [Node.Entry]? {
    if case .null = entry.value.content { return [] }
    guard let own = entries(of: entry.value) else {
      let name = entry.key.printable
      refuse(
        entry.value, expected: "a map of a step's keys", advice: "write '\(name): { endpoint: … }', or '\(name): {}'")
      return nil
    }
    for key in own where key.key == "name" {
      refuse("a stream's name is its key, '\(entry.key.printable)'", at: key.keyRange, advice: "leave 'name' out")
    }
    return own.filter { $0.key != "name" }
  }

  /// Checks that a stream's name can be that of a file.
  private mutating func checkName(_ entry: Node.Entry, among all: [Node.Entry]) {
    let name = entry.key
    let isPlain = name.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: ".") }
    if name.isEmpty || !isPlain || name.hasPrefix(".") || name.hasPrefix("-") || name.utf8.count > 200 {
      refuse(
        "'\(name.printable)' can't be the name of a stream", at: entry.keyRange,
        advice: "write at most 200 letters (a to z), digits, '_', '-' and '.', and begin with none of the last two")
    } else if let other = all.first(where: { $0.key.lowercased() == name.lowercased() }), other.key != name {
      refuse(
        "the streams '\(other.key)' and '\(name)' differ in case only", at: entry.keyRange,
        advice: "some systems have no two files of such names: rename one")
    }
  }
}

extension Node {
  /// Returns this stream as a job: its name is its endpoint, if it has no other request, and no `endpoint: null`.
  fileprivate func asJob(named entry: Entry) -> Node {
    if case .map(let own) = content,
      let index = own.firstIndex(where: {
        if case ("endpoint", .null) = ($0.key, $0.value.content) { true } else { false }
      })
    {
      return keeping(Array(own[..<index] + own[(index + 1)...]))
    }
    guard case .map(let own) = content, !own.contains(where: { $0.key == "endpoint" || $0.key == "download" }) else {
      return self
    }
    let endpoint = Node(content: .string(entry.key), range: entry.keyRange, spelling: entry.key, isQuoted: false)
    return keeping([Entry(key: "endpoint", keyRange: entry.keyRange, value: endpoint)] + own)
  }
}
