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
    let mayRepeat = ["GET", "HEAD"].contains(job.sentMethod) || job.ownsRetry
    self = mayRepeat ? RetryPolicy() : .once
    total = job.retry.total ?? total
    guard mayRepeat else { return }
    attempts = job.retry.attempts ?? attempts
    statuses = job.retry.statuses ?? statuses
    wait = job.retry.wait ?? wait
    most = job.retry.most ?? most
  }
}

extension JobPlan {
  /// The rate that the job asks for.
  package var rate: Rate? { job.rate.map { Rate($0.count, per: $0.time) } }
}
