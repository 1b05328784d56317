// Decodes `login`: one request, and how its token is sent.

import YAMLText

internal import Diagnostics

extension NodeDecoder {
  mutating func login(_ node: Node) -> Job.Auth.Login? {
    var draft = LoginDraft()
    guard whole(node, keys: SpecKeys.loginKeys, into: &draft) else { return nil }
    let keys = (entries(of: node) ?? [])
    if let form = keys.first(where: { $0.key == "form" }), keys.contains(where: { $0.key == "body" }) {
      refuse("'form' beside 'body'", at: form.keyRange, advice: "leave one of them out: a request has one body")
    }
    if let method = draft.method, ["GET", "HEAD"].contains(method), draft.body != nil || draft.form != nil {
      let range = keys.first { $0.key == "method" }?.keyRange ?? node.range
      refuse("a body with 'method: \(method)'", at: range, advice: "leave 'method' out: it is POST then")
    }
    guard let endpoint = draft.endpoint, let token = draft.token else { return nil }
    var login = Job.Auth.Login(endpoint: endpoint, token: token)
    (login.method, login.body, login.form) = (draft.method, draft.body, draft.form ?? [])
    (login.headers, login.removedHeaders) = (draft.job.headers, draft.job.removedHeaders)
    login.use = draft.use ?? .bearer
    return login
  }

  /// Returns the value of `as`: the word `bearer`, or a map of one kind in which a template names the token.
  mutating func tokenUse(_ node: Node) -> Job.Auth.Login.Use? {
    let advice = "write 'bearer' or '{ header: { X-Token: \"${token}\" } }'"
    if case .string(let word) = node.content {
      if word == "bearer" { return .bearer }
      refuse(node, expected: "'bearer', or a map with 'header' or 'query'", advice: advice)
      return nil
    }
    var draft = LoginDraft.UseDraft()
    let before = mistakes.count
    guard let entries = map(node, keys: SpecKeys.useKeys, into: &draft), mistakes.count == before else { return nil }
    guard entries.count == 1, let use = draft.use else {
      refuse("expected one of 'header' and 'query', found \(entries.count)", at: node.range, advice: advice)
      return nil
    }
    if !use.templates.contains(where: { $0.names(.token) }) {
      refuse("'as' sends no token", at: node.range, advice: "name '${token}' in a value")
    }
    return use
  }
}

extension Job.Auth.Login.Use {
  fileprivate var templates: [Template] {
    switch self {
    case .bearer: []
    case .header(let headers): headers.map(\.value)
    case .query(let items): items.map(\.value)
    }
  }
}
