// `pin`: writes the pagers that `pages: auto` has chosen into the text of a spec.

import Diagnostics
package import Engine
import FetchPlan
import JSONText
package import PipelineSpec

/// A spec whose jobs with `pages: auto` get the lines that a run has chosen; all other text stays.
package struct SpecPin {
  /// A piece of text that replaces another one.
  private struct Edit {
    let offset: Int
    var length = 0
    let text: String
  }

  private let spec: Spec
  private let text: [UInt8]
  private let chosen: [String: ChosenPages]
  /// True for a spec in JSON, which stays JSON.
  private let isJSON: Bool

  /// - Parameter runs: the counters of runs, with the lines that they have chosen.
  package init(_ spec: Spec, _ runs: [RunCounters]) {
    self.spec = spec
    chosen = runs.reduce(into: [:]) { $0.merge($1.chosenPages) { first, _ in first } }
    text = spec.source.bytes
    isJSON = (try? JSONValue(parsing: text)) != nil
  }

  private func quoted(_ name: String) -> String { isJSON ? JSONValue(name).text : name }

  /// The value of `pages` as the text spells values.
  private func sourceText(_ pages: ChosenPages) -> String {
    isJSON ? Spec.json(ofValue: pages.value)?.text ?? pages.value : pages.value
  }

  /// Returns the line that a job gets; nil if the run has chosen none.
  package func line(of job: Job) -> String? { chosen[job.name]?.line }

  /// The jobs with `pages: auto`.
  package static func jobs(of spec: Spec) -> [Job] { spec.jobs.filter { $0.pages?.kind == .auto } }

  /// Returns the text with the lines of all jobs that have one.
  ///
  /// - Throws: `SpecError` with the lines to write by hand, if the text is one that can't be changed so.
  package func pinned() throws(SpecError) -> [UInt8] {
    var edits: [Edit] = []
    let jobs = Self.jobs(of: spec)
    for (index, job) in jobs.enumerated() {
      guard let pages = chosen[job.name], let position = job.pages?.position else { continue }
      let others = jobs.filter { $0.pages?.position == position }
      let isShared = others.count > 1
      let isCommon = others.allSatisfy { chosen[$0.name] == pages }
      if isShared, isCommon, jobs[..<index].contains(where: { $0.pages?.position == position }) { continue }
      let own = isShared && !isCommon ? entry(pages, before: job.position) : replacement(pages, at: position)
      guard let own, let first = firstValue(pages, of: job, isShared && !isCommon ? job.position : nil, position) else {
        throw byHand(jobs)
      }
      edits += own + first
    }
    var bytes = text
    for edit in edits.sorted(by: { $0.offset > $1.offset }) {
      bytes.replaceSubrange(edit.offset..<(edit.offset + edit.length), with: Array(edit.text.utf8))
    }
    guard isRight(bytes) else { throw byHand(jobs) }
    return bytes
  }

  private func byHand(_ jobs: [Job]) -> SpecError {
    let lines = jobs.compactMap { job in
      chosen[job.name].map { "\(spec.name):\(job.position): error: write here '\($0.line)'" }
    }
    return SpecError(messages: lines)
  }

  /// Reports that the changed text says of each job what was chosen.
  private func isRight(_ bytes: [UInt8]) -> Bool {
    guard let new = try? Spec(reading: SourceText(name: spec.name, bytes: bytes)), new.jobs.count == spec.jobs.count,
      !isJSON || (try? JSONValue(parsing: bytes)) != nil
    else {
      return false
    }
    return zip(spec.jobs, new.jobs).allSatisfy { old, new in
      var wanted = old
      var query = new.query
      if old.pages?.kind == .auto, let pages = chosen[old.name] {
        guard let value = Pages(value: pages.value) else { return false }
        wanted.pages = value
        if pages.first != nil { query.removeAll { value.kind.items.contains(.query($0.name)) } }
      }
      var found = new
      found.query = query
      // The identity leaves out where a value stands in the text.
      return wanted.identity.map(\.text) == found.identity.map(\.text)
    }
  }

  // MARK: Places

  /// Returns the offset of a position; nil if the text has none.
  private func offset(of position: SourcePosition) -> Int? {
    var starts = [0]
    for (index, byte) in text.enumerated() where byte == 0x0A { starts.append(index + 1) }
    guard position.line <= starts.count else { return nil }
    let start = starts[position.line - 1] + (position.line == 1 && text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    let line = String(decoding: text[start...].prefix { $0 != 0x0A }, as: UTF8.self)
    guard position.column - 1 <= line.unicodeScalars.count else { return nil }
    return start + String(line.unicodeScalars.prefix(position.column - 1)).utf8.count
  }

  /// The text of a line before an offset.
  private func head(of offset: Int) -> String {
    let start = text[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return String(decoding: text[start..<offset], as: UTF8.self)
  }

  /// Returns the edits that put the value in place of `auto`.
  private func replacement(_ pages: ChosenPages, at position: SourcePosition) -> [Edit]? {
    guard let start = offset(of: position) else { return nil }
    for word in ["auto", "'auto'", "\"auto\""] where text[start...].starts(with: word.utf8) {
      return [Edit(offset: start, length: word.utf8.count, text: sourceText(pages))]
    }
    return nil
  }

  /// Returns the edits that put an entry before the first key of a map.
  private func entry(_ pages: ChosenPages, before position: SourcePosition) -> [Edit]? {
    insertion("\(quoted("pages")): \(sourceText(pages))", before: position)
  }

  private func insertion(_ entry: String, before position: SourcePosition) -> [Edit]? {
    guard let start = offset(of: position), start < text.count else { return nil }
    if text[start] == UInt8(ascii: "{") { return [Edit(offset: start + 1, text: " \(entry),")] }
    let before = head(of: start)
    let isBlock = before.allSatisfy { $0 == " " || $0 == "-" }
    let indent = String(repeating: " ", count: before.count)
    return [Edit(offset: start, text: isBlock ? "\(entry)\(comma)\n\(indent)" : "\(entry), ")]
  }

  /// What ends an entry of a map whose entries have lines of their own.
  private var comma: String { isJSON ? "," : "" }

  /// Returns the edits that give the counted item its first value in the request; none if the request needs none.
  ///
  /// - Parameter step: the first key of the job, if its line is written there.
  private func firstValue(
    _ pages: ChosenPages, of job: Job, _ step: SourcePosition?, _ position: SourcePosition
  ) -> [Edit]? {
    guard let first = pages.first else { return [] }
    guard case .query(let name)? = Pages(value: pages.value)?.kind.items.first else { return nil }
    let entry = "\(pages.value.contains("\"\(name)\"") ? "\"\(name)\"" : quoted(name)): \(first)"
    let query = "\(quoted("query")): { \(entry) }"
    if job.query.isEmpty {
      if let step { return insertion(query, before: step) }
      guard let value = offset(of: position), var key = text[..<value].lastIndex(of: UInt8(ascii: "p")) else {
        return nil
      }
      if isJSON { key -= 1 }
      let before = head(of: key)
      let isBlock = before.allSatisfy { $0 == " " || $0 == "-" }
      let indent = String(repeating: " ", count: before.count)
      return [Edit(offset: key, text: query + (isBlock ? "\(comma)\n\(indent)" : ", "))]
    }
    guard let start = offset(of: job.position) else { return nil }
    // The next 'query' of the job is its own: other keys with this name are in 'auth' and 'then'.
    let rest = Array(text[start...])
    guard let key = rest.firstRange(of: Array(isJSON ? "\"query\"".utf8 : "query:".utf8)) else {
      return nil
    }
    var index = start + key.upperBound
    while index < text.count, text[index] == 0x20 || isJSON && text[index] == UInt8(ascii: ":") { index += 1 }
    guard index < text.count else { return nil }
    if text[index] == UInt8(ascii: "{") { return [Edit(offset: index + 1, text: " \(entry),")] }
    guard let line = text[index...].firstIndex(of: 0x0A) else { return nil }
    let member = text[(line + 1)...].firstIndex { $0 != 0x20 } ?? text.count
    return [Edit(offset: member, text: "\(entry)\n" + String(repeating: " ", count: member - line - 1))]
  }
}
