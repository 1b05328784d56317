// The retry policy and the rate of a job.

import PipelineSpec
import Wire

extension RetryPolicy {
  /// Creates the policy of a job.
  ///
  /// GET and HEAD may be repeated (RFC 9110 §9.2.2). For another method, only the author of the job knows. So such a
  /// request is retried only if the job has its own `retry`.
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

extension Rate {
  /// Evaluates `rate` of a job; nil if it has none, or an empty one.
  init?(_ job: Job, in scope: TemplateScope) throws(ParameterError) {
    var strictest = job.rate
    if let template = job.rateTemplate, let text = try template.text(in: scope)?.text, !text.isEmpty {
      guard let own = Job.Rate(spelled: text) else {
        throw scope.fault(template, "'\(text)' is no rate: \(Job.Rate.advice)")
      }
      strictest = own.strictest(with: job.rate)
    }
    guard let strictest else { return nil }
    self.init(interval: strictest.interval)
  }
}
