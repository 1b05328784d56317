/// The job whose marks `${since}` reads: the job itself, or the one of its file that has `incremental`.
package struct Since: Hashable, Sendable {
  package let job: String
  package let incremental: Incremental

  package init(job: String, incremental: Incremental) {
    (self.job, self.incremental) = (job, incremental)
  }
}
