// A job while it is decoded: its values so far, and the position of each key.

import YAMLText

internal import Diagnostics
internal import JSONText

struct JobDraft {
  var job: Job
  /// Keys of the job itself; the job's values may also come from the file's defaults.
  var own: [String: Node.Entry] = [:]
  /// Defaults beside `steps` that apply because the job does not have the key itself.
  var inherited: [String: Node.Entry] = [:]
  /// The file's own `base`, beside `steps`.
  var fileBase: Template?
  /// True if every value could be read; otherwise no diagnostic says that something is missing.
  var isWhole = true
  /// Range for diagnostics about the job as a whole.
  var range: Range<Int> = 0..<0

  init() {
    job = Job(name: "", place: SourcePosition(line: 1, column: 1))
  }

  /// Returns a step's draft, which begins with the values of this draft.
  func inheriting() -> JobDraft {
    var draft = self
    draft.inherited = own
    draft.own = [:]
    draft.fileBase = job.base
    return draft
  }

  /// Reads the keys of a map, which replace the values so far.
  mutating func read(
    _ node: Node, keys: [Key<JobDraft>], _ decoder: inout NodeDecoder, others: [String] = [],
    hint: NodeDecoder.Hint = { _ in nil }
  ) {
    let before = decoder.mistakes.count
    guard let entries = decoder.map(node, keys: keys, into: &self, others: others, hint: hint) else {
      isWhole = false
      return
    }
    for entry in entries {
      own[entry.key] = entry
      inherited[entry.key] = nil
    }
    job.place = decoder.source.place(at: node.range.lowerBound)
    range = entries.first?.keyRange ?? node.range
    if decoder.mistakes.count > before { isWhole = false }
  }
}
