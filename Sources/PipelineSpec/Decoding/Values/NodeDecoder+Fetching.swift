// Decodes rates, and the statuses that are retried.

import YAMLText

internal import Diagnostics

extension NodeDecoder {
  mutating func rate(_ node: Node) -> Job.Rate? {
    if case .string(let text) = node.content, let rate = Job.Rate(spelled: text) { return rate }
    refuse(node, expected: "a rate", advice: "write '5/s', '100/m' or '1000/h'")
    return nil
  }

  mutating func retriedStatuses(_ node: Node) -> [Int]? {
    guard case .list(let nodes) = node.content else {
      refuse(node, expected: "a list of statuses", advice: "write '[429, 503]', or '[]' for none")
      return nil
    }
    return nodes.compactMap { retriedStatus($0) }
  }

  private mutating func retriedStatus(_ node: Node) -> Int? {
    guard let status = integer(node, in: 100...599, expected: "an HTTP status") else { return nil }
    if status < 300, status != 202 {
      refuse("\(status) is no failure", at: node.range, advice: "statuses that are tried again are 202 and 300 to 599")
    } else if status == 401 {
      refuse("401 always stops", at: node.range, advice: "credentials that are refused stay so")
    } else {
      return status
    }
    return nil
  }
}

extension Job.Rate {
  /// Parses `5/s`, `100/m` or `1000/h`; nil for other text.
  init?(spelled text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let times: [Substring: Duration] = ["s": .seconds(1), "m": .seconds(60), "h": .seconds(3_600)]
    guard parts.count == 2, let time = times[parts[1]], let quantity = Quantity(String(parts[0])),
      quantity.unit.isEmpty, (1...1_000_000).contains(quantity.number)
    else { return nil }
    self.init(count: quantity.number, time: time)
  }
}
