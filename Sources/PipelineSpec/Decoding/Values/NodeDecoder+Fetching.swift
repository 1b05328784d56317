// Decodes rates, and the statuses that are retried.

import YAMLText

internal import Diagnostics
import Primitives

extension NodeDecoder {
  /// Returns a rate, or the template of one.
  mutating func rate(_ node: Node) -> (Job.Rate?, Template?) {
    guard case .string(let text) = node.content else {
      refuse(node, expected: "a rate", advice: Job.Rate.advice)
      return (nil, nil)
    }
    if let rate = Job.Rate(spelled: text) { return (rate, nil) }
    guard let template = template(text, node, .rate) else { return (nil, nil) }
    if template.literal == nil { return (nil, template) }
    refuse(node, expected: "a rate", advice: Job.Rate.advice)
    return (nil, nil)
  }

  mutating func retriedStatuses(_ node: Node) -> [Int]? {
    guard case .list(let nodes) = node.content else {
      refuse(node, expected: "a list of statuses", advice: "write '[429, 503]', or '[]' for none")
      return nil
    }
    return nodes.compactMap { retriedStatus($0) }
  }

  private mutating func retriedStatus(_ node: Node) -> Int? {
    guard let status = self.status(node) else { return nil }
    if status < 300, status != 202 {
      refuse("\(status) is no failure", at: node.range, advice: "statuses that are retried are 202 and 300 to 599")
    } else if status == 401 {
      refuse("401 always stops", at: node.range, advice: "leave it out: refused credentials stay refused")
    } else {
      return status
    }
    return nil
  }
}

extension Job.Rate {
  /// The advice about the spelling of rates.
  package static let advice = "write '5/s', '12.5/s', '100/m' or '1000/h'"

  /// Parses `5/s`, `12.5/s`, `100/m` or `1000/h`; nil for other text.
  package init?(spelled text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let times: [Substring: Duration] = ["s": .seconds(1), "m": .seconds(60), "h": .seconds(3_600)]
    guard parts.count == 2, let time = times[parts[1]], let thousandths = Self.thousandths(parts[0]) else { return nil }
    self.init(interval: time * 1000 / thousandths)
  }

  /// Parses a number from 0.001 to 1,000,000 with three decimals at most.
  private static func thousandths(_ text: Substring) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let decimals = parts.count == 2 ? parts[1] : "0"
    guard parts.count <= 2, (1...3).contains(decimals.utf8.count),
      (parts + [decimals]).allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }),
      let whole = Int(parts[0]), whole <= 1_000_000,
      let fraction = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count))
    else { return nil }
    let thousandths = whole * 1000 + fraction
    return (1...1_000_000_000).contains(thousandths) ? thousandths : nil
  }
}
