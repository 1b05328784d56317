// Keys about sending requests, and about failed requests.

internal import Diagnostics

extension SpecKeys {
  static let fetchingKeys: [Key<JobDraft>] = [
    Key(
      "concurrency", "a whole number from 1 to 256", standard: "1",
      "most requests of this job at once; the order of the output stays the same", besideSteps: .setting,
      mayChange: true
    ) { node, draft, decoder in
      let number = decoder.integer(node, in: 1...256, expected: "a whole number from 1 to 256")
      if let number { draft.job.concurrency = number }
    },
    Key(
      "onError", "'stop', 'skip' or 'empty'", standard: "`stop`",
      "what happens when the fetch for an input record fails",
      besideSteps: .setting
    ) { node, draft, decoder in
      if let word = decoder.word(node, Job.OnError.self) { draft.job.onError = word }
    },
    Key(
      "retry", "a map", standard: "`{attempts: 5, wait: 500ms, most: 60s, total: 10m}`",
      "how temporary failures are retried: for GET and HEAD, and for any method if the job itself has `retry`",
      besideSteps: .setting, mayChange: true
    ) { node, draft, decoder in
      draft.job.retry = Job.Retry()
      decoder.map(node, keys: retryKeys, into: &draft.job.retry)
    },
    Key("poll", "a map", standard: "none", "makes the request again until the server is done") { node, draft, decoder in
      var poll = Poll()
      decoder.map(node, keys: pollKeys, into: &poll)
      draft.job.poll = poll
    },
    Key(
      "rate", "a rate such as 5/s, 12.5/s, 100/m or 1000/h", standard: "none",
      "limits the requests of all steps to an origin; the strictest `rate` applies", besideSteps: .setting,
      mayChange: true
    ) { node, draft, decoder in
      (draft.job.rate, draft.job.rateTemplate) = decoder.rate(node)
    },
    Key(
      "auth", "a map with one kind, or 'netrc'", standard: "none",
      "credentials, sent only to the origin of `endpoint` (at the top of a file with steps: of `base`)",
      besideSteps: .setting
    ) { node, draft, decoder in
      draft.job.auth = decoder.auth(node)
    },
    Key(
      "tls", "a map of 'certificate', 'key' and 'ca'", standard: "none",
      "files for https: the client's certificate and the trusted authorities, for the same origin as `auth`",
      besideSteps: .setting
    ) { node, draft, decoder in
      draft.job.tls = decoder.tls(node)
    },
    Key(
      "timeout", "a duration such as 30s", standard: "30s", "fails a request that receives less than 1 KB in this time",
      besideSteps: .setting, mayChange: true
    ) {
      node, draft, decoder in
      if let duration = decoder.duration(node) { draft.job.timeout = duration }
    },
    Key(
      "hosts", "a list of hosts", standard: "none",
      "further hosts to which next links, `${record.url}` and downloads may lead",
      besideSteps: .setting, mayChange: true
    ) { node, draft, decoder in
      if let hosts = decoder.hosts(node) { draft.job.hosts = hosts }
    },
    Key(
      "bodyLimit", "a size such as 4GB", standard: "4GB", "most bytes of one decoded response, and of one input line",
      besideSteps: .setting, mayChange: true
    ) {
      node, draft, decoder in
      if let bytes = decoder.size(node) { draft.job.bodyLimit = bytes }
    },
  ]
  static let retryKeys: [Key<Job.Retry>] = [
    Key("attempts", "a whole number from 1 to 1000", standard: "5", "most attempts, the first included") {
      node, retry, decoder in
      retry.attempts = decoder.integer(node, in: 1...1_000, expected: "a whole number from 1 to 1000")
    },
    Key(
      "statuses", "a list of statuses", standard: "`\(Job.Retry.standardStatuses)`",
      "statuses that are retried"
    ) { node, retry, decoder in
      retry.statuses = decoder.retriedStatuses(node)
    },
    Key(
      "when", "a condition", standard: "none",
      "retries an answer whose body fulfils the condition, also one of status 200"
    ) { node, retry, decoder in
      retry.condition = decoder.condition(node)
    },
    Key("wait", "a duration such as 500ms", standard: "500ms", "bounds the first wait; it doubles with each failure") {
      node, retry, decoder in
      retry.wait = decoder.duration(node)
    },
    Key("most", "a duration such as 60s", standard: "60s", "bounds every wait that the server does not ask for") {
      node, retry, decoder in
      retry.most = decoder.duration(node) { "'attempts: \($0)' is for at most so many attempts" }
    },
    Key("total", "a duration such as 10m", standard: "10m", "bounds the sum of all waits of one request") {
      node, retry, decoder in
      retry.total = decoder.duration(node)
    },
  ]
}
