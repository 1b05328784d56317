// The roots that a template may read depend on the template's site.

/// Site of a template in a job.
enum TemplateSite {
  /// The request, the path of the content, and the members of `set`.
  case request
  case base
  case each
  case pages
  case auth
  /// `mark` of `incremental`.
  case mark
  /// `start` of `incremental`, which is the same for every record.
  case start
  /// `as` of `login`.
  case login
  /// `rate` and `maxPages`, which are known before any request.
  case setting

  /// The advice about the keys that can read the input records of a request.
  static let ofRecords =
    "'records' are those of one request: 'endpoint', 'query', 'headers', 'body', 'form' and 'text' can read them"

  /// Returns the reason, as advice, if a root can't be read at this site, else nil.
  func refusal(of root: Template.Hole.Root) -> String? {
    switch root {
    case _ where self == .setting:
      root == .param ? nil : "this is the same for all requests of a run; it can read 'param'"
    case .body, .headers, .last:
      self == .pages || self == .mark && root != .last
        ? nil : "'body', 'headers' and 'last' are of the page that came: only 'pages' and 'failure' can read them"
    case .record where self == .start, .since where self == .start:
      "'start' is what 'since' is at first; it can read 'param', 'env', 'file', 'now', 'today' and 'epoch'"
    case .record where self == .base:
      "'base' is the same for every record; put it into 'endpoint'"
    case .token:
      self == .login ? nil : "'token' is what 'login' has fetched: only 'as' of 'login' can read it"
    case .record where self == .auth || self == .login:
      "'auth' is the same for every record; what a record says can stand in 'headers' or 'query'"
    case .records:
      self == .request ? nil : Self.ofRecords
    case .record, .param, .env, .file, .since, .now, .today, .epoch:
      nil
    }
  }
}
