// The limits of the command line on a job.

import PipelineSpec

extension Job {
  /// Returns the job with the limits of the command line.
  func limited(by options: RunOptions) -> Job {
    var job = self
    if let limit = options.pageLimit, var pages = job.pages {
      pages.limit = min(limit, pages.limit ?? limit)
      job.pages = pages
    }
    job.concurrency = options.concurrency ?? concurrency
    job.rate = options.rate?.strictest(with: rate) ?? rate
    return job
  }
}
