// Keys of `poll`: the signs that a job of the server is done.

internal import Diagnostics

extension SpecKeys {
  static let pollKeys: [Key<Poll>] = [
    Key("until", "a condition", standard: "any status but 202", "holds for the answer that has the content") {
      node, poll, decoder in
      poll.until = decoder.condition(node)
    },
    Key("failure", "a condition", standard: "none", "holds for an answer that ends the wait with an error") {
      node, poll, decoder in
      poll.failure = decoder.condition(node)
    },
    Key(
      "every", "a duration such as 10s", standard: "10s", "the wait between two requests, without a `Retry-After`",
      mayChange: true
    ) { node, poll, decoder in
      if let time = decoder.duration(node) { poll.every = time }
    },
    Key(
      "most", "a duration such as 30m", standard: "30m", "bounds the time from the first request to the last",
      mayChange: true
    ) { node, poll, decoder in
      if let time = decoder.duration(node) { poll.most = time }
    },
  ]
}
