// Keys that say how requests are made and what happens when one fails.

internal import Diagnostics

extension SpecKeys {
  static let fetchingKeys: [Key<JobDraft>] = [
    Key(
      "concurrency", "a whole number from 1 to 256", standard: "1",
      "most requests of this job in flight; output order never depends on it", isDefault: true
    ) { node, draft, decoder in
      let number = decoder.integer(node, in: 1...256, expected: "a whole number from 1 to 256")
      if let number { draft.job.concurrency = number }
    },
    Key(
      "onError", "'stop', 'skip' or 'empty'", standard: "`stop`",
      "what happens when the fetch for an input record fails",
      isDefault: true
    ) { node, draft, decoder in
      if let word = decoder.word(node, Job.OnError.self) { draft.job.onError = word }
    },
    Key(
      "timeout", "a duration such as 30s", standard: "30s", "less than 1 KB in that time is no progress",
      isDefault: true
    ) {
      node, draft, decoder in
      if let duration = decoder.duration(node) { draft.job.timeout = duration }
    },
    Key(
      "hosts", "a list of hosts", standard: "none", "others that next links and `${record.url}` may lead to",
      isDefault: true
    ) { node, draft, decoder in
      if let hosts = decoder.hosts(node) { draft.job.hosts = hosts }
    },
    Key(
      "bodyLimit", "a size such as 4GB", standard: "4GB", "bounds one response, decoded, and one input line",
      isDefault: true
    ) {
      node, draft, decoder in
      if let bytes = decoder.size(node) { draft.job.bodyLimit = bytes }
    },
  ]
}
