// How often a job's requests are made again.

import PipelineSpec
package import Wire

extension Job {
  /// The request's method: its own, or what the body makes of it.
  var sentMethod: String { method ?? (body == nil ? "GET" : "POST") }
}

extension RetryPolicy {
  /// GET and HEAD may be repeated (RFC 9110 §9.2.2); of other methods only the author of the job can know, who says so by a
  /// `retry` of its own.
  init(_ job: Job) {
    self.init(job.retry)
    guard !["GET", "HEAD"].contains(job.sentMethod), !job.ownsRetry else { return }
    attempts = RetryPolicy.once.attempts
    statuses = RetryPolicy.once.statuses
  }

  init(_ retry: Job.Retry) {
    self.init()
    attempts = retry.attempts ?? attempts
    statuses = retry.statuses ?? statuses
    wait = retry.wait ?? wait
    most = retry.most ?? most
    total = retry.total ?? total
  }
}

extension JobPlan {
  /// The rate that the job asks for.
  package var rate: Rate? { job.rate.map { Rate($0.count, per: $0.time) } }
}
