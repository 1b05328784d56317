// Decodes `empty`: answers that mean that there are no records.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func empty(_ node: Node) -> Job.Empty? {
    guard case .map(let entries) = node.content else {
      return emptyStatuses(node).map { Job.Empty(statuses: $0, condition: nil) }
    }
    let before = mistakes.count
    var draft = EmptyDraft()
    map(node, keys: SpecKeys.emptyKeys, into: &draft)
    if entries.isEmpty {
      refuse("neither 'status' nor 'when' in 'empty'", at: node.range, advice: "write '[404]' for a status")
    }
    guard mistakes.count == before else { return nil }
    return Job.Empty(statuses: draft.statuses ?? [], condition: draft.condition)
  }

  mutating func emptyStatuses(_ node: Node) -> [Int]? {
    guard case .list(let nodes) = node.content else {
      refuse(node, expected: "a list of statuses", advice: "write '[403, 404]'")
      return nil
    }
    if nodes.isEmpty { refuse("an empty list of statuses", at: node.range, advice: "write '[403, 404]'") }
    let statuses = nodes.compactMap { emptyStatus($0) }
    return statuses.count == nodes.count ? statuses : nil
  }

  private mutating func emptyStatus(_ node: Node) -> Int? {
    guard let status = self.status(node) else { return nil }
    switch status {
    case 401:
      refuse("401 always stops", at: node.range, advice: "leave it out: refused credentials say nothing about records")
    case 429: refuse("429 is a limit", at: node.range, advice: "leave it out: the records may be there; see 'retry'")
    case ..<400:
      refuse("\(status) is no error", at: node.range, advice: "statuses that can mean 'no records' are 400 to 599")
    default: return status
    }
    return nil
  }
}
