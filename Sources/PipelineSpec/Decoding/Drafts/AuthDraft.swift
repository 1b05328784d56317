internal import Diagnostics

/// Values of `auth` while it is decoded.
struct AuthDraft {
  var kind: Job.Auth.Kind?
  var user: Template?
  var password: Template?
  var token: Template?
  var id: Template?
  var secret: Template?
  var scope: Template?
  var refresh: Template?
  var client: Job.Auth.OAuth2.Client?
  var others: [Job.Auth.Item]?
}
