internal import Diagnostics
internal import JSONText

/// Values of `login` while it is decoded.
struct LoginDraft {
  var endpoint: Template?
  var method: String?
  var body: TemplateValue?
  var form: [Job.Auth.Item]?
  /// Job of which only the headers are used.
  var job = JobDraft().job
  var token: JSONPath?
  var use: Job.Auth.Login.Use?

  /// The value of `as`.
  struct UseDraft {
    var use: Job.Auth.Login.Use?
  }
}
