// A job while it is read: its values so far, and where each key stood.

import YAMLText

internal import Diagnostics
internal import JSONText

struct JobDraft {
  var job: Job
  /// The keys of the job itself; the job's values may also come from the file's defaults.
  var own: [String: Node.Entry] = [:]
  /// The defaults beside `steps` that hold because the job has no such key itself.
  var inherited: [String: Node.Entry] = [:]
  /// The file's own `base`, beside `steps`.
  var fileBase: Template?
  /// Whether every value in it could be read. Where one could not, nothing is said about what seems to be missing.
  var isWhole = true
  /// Where a mistake about the job as a whole is shown.
  var range: Range<Int> = 0..<0

  init() {
    job = Job(name: "", place: SourcePosition(line: 1, column: 1))
  }

  /// A step's draft, which begins with the values of this one.
  func inheriting() -> JobDraft {
    var draft = self
    draft.inherited = own
    draft.own = [:]
    draft.fileBase = job.base
    return draft
  }

  /// Reads the keys of a map over what is there.
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
