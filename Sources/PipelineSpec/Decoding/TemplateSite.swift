// The roots that a template may read depend on the template's site.

/// Site of a template in a job.
enum TemplateSite {
  /// The request, the path of the content, and marks.
  case request
  /// A URL of the request, whose path a value may have several segments of.
  case endpoint
  case base
  case each
  /// The members of `set`.
  case set
  case pages
  case auth
  /// `mark` of `incremental`.
  case mark
  /// `start` of `incremental`, which is the same for every record.
  case start
  /// `as` of `login`.
  case login
  /// A number, or what a condition compares, which are known before any request.
  case fixed
  /// The default of a parameter.
  case parameter

  /// The advice about the keys that can read the input records of a request.
  static let ofInputs =
    "'inputs' are those of one request: 'endpoint', 'query', 'headers', 'body', 'form' and 'text' can read them"

  /// Returns the reason, as advice, if a template can't be read at this site, else nil.
  func refusal(of hole: Template.Hole) -> String? {
    switch hole.root {
    case _ where self == .fixed:
      [.param, .env, .file, .now, .today, .epoch].contains(hole.root)
        ? nil
        : "this is the same for all requests of a run; it can read 'param', 'env', 'file', 'now', 'today' and 'epoch'"
    case _ where self == .parameter:
      [.env, .now, .today, .epoch].contains(hole.root)
        ? nil : "the default of a parameter can read 'env', 'now', 'today' and 'epoch'"
    case .record:
      self == .set
        ? nil
        : "'record' is what the step fetches, and only 'set' can read it; write '\(hole.ofInput)' for what the step reads"
    case .body, .headers:
      self == .pages || self == .set || self == .mark
        ? nil : "'\(hole.root.rawValue)' is of the answer that came: only 'pages', 'failure' and 'set' can read it"
    case .last:
      self == .pages ? nil : "'last' is the last record of a page: only 'pages' and 'failure' can read it"
    case .input where self == .start, .since where self == .start:
      "'start' is what 'since' is at first; it can read 'param', 'env', 'file', 'now', 'today' and 'epoch'"
    case .input where self == .base:
      "'base' is the same for every record; put it into 'endpoint'"
    case .token:
      self == .login ? nil : "'token' is what 'login' has fetched: only 'as' of 'login' can read it"
    case .input where self == .auth || self == .login:
      "'auth' is the same for every record; what a record says can stand in 'headers' or 'query'"
    case .inputs:
      self == .request || self == .endpoint ? nil : Self.ofInputs
    case .input, .param, .env, .file, .since, .now, .today, .epoch:
      nil
    }
  }
}

extension Template.Hole {
  /// The template as it reads the input record: `${input.id}` for `${record.id}`.
  var ofInput: String {
    guard let range = spelling.firstRange(of: root.rawValue) else { return spelling }
    return spelling.replacingCharacters(in: range, with: "input")
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
