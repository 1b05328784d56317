/// The request of the later pages of a job, without what it has in common with the first: `base`, `headers`, `auth`.
package struct LaterRequest: Hashable, Sendable {
  package var endpoint: Template
  package var method: String?
  package var query: [Job.QueryItem]
  package var body: TemplateValue?
  package var form: [Job.QueryItem]?
  package var text: Template?

  package var templates: [Template] {
    [endpoint, text].compactMap { $0 } + (query + (form ?? [])).flatMap(\.values).flatMap(\.templates)
      + (body?.templates ?? [])
  }
}

extension Job {
  /// The job with the request of the later pages; nil if all pages have the request of the first.
  package var ofLaterPages: Job? {
    guard let then = pages?.then else { return nil }
    var job = self
    (job.endpoint, job.method, job.query) = (then.endpoint, then.method, then.query)
    (job.body, job.form, job.text) = (then.body, then.form, then.text)
    job.pages?.then = nil
    return job
  }
}
