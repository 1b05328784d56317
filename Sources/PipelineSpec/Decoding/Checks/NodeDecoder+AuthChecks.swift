// Checks the origin of `auth`, and its conflicts with other keys.

import YAMLText

internal import Diagnostics

extension NodeDecoder {
  mutating func checkAuth(_ draft: inout JobDraft) {
    guard let auth = draft.job.auth, let key = draft.own["auth"] ?? draft.inherited["auth"] else { return }
    if let base = ownBase(of: "auth", &draft, key) { draft.job.auth?.base = base }
    checkHeaders(draft, auth, key)
    checkQuery(draft, auth, key)
    checkTokenURL(draft, auth, key)
  }

  /// Checks that a job with `env` values has an origin to send them to.
  ///
  /// Values from the environment are sent to the job's own origin only. If the endpoint comes from a record, only
  /// `base` gives that origin.
  mutating func checkEnvironment(_ draft: JobDraft) {
    guard draft.job.endpoint?.inputURL != nil, draft.job.base == nil else { return }
    let parts = [
      ("headers", draft.job.headers.map(\.value)),
      ("query", draft.job.query.flatMap(\.values).flatMap(\.templates)),
      ("body", draft.job.body?.templates ?? []),
      ("form", (draft.job.form ?? []).flatMap(\.values).flatMap(\.templates)),
      ("text", [draft.job.text].compactMap { $0 }),
    ]
    let isSinceSecret = !(draft.job.incremental?.templates.environmentNames ?? []).isEmpty
    for (name, templates) in parts
    where !templates.environmentNames.isEmpty || isSinceSecret && templates.contains(where: { $0.names(.since) }) {
      guard let key = draft.own[name] ?? draft.inherited[name] else { continue }
      refuse(
        "'env' in '\(name)' of an endpoint that only records know", at: key.keyRange,
        advice: "give the 'base' at whose origin it may be sent")
    }
  }

  /// Checks that `tls` has an origin, as `auth` must.
  mutating func checkTLS(_ draft: inout JobDraft) {
    guard draft.job.tls != nil, let key = draft.own["tls"] ?? draft.inherited["tls"] else { return }
    if let base = ownBase(of: "tls", &draft, key) { draft.job.tls?.base = base }
    let home = draft.job.tls?.base ?? draft.job.base ?? draft.job.endpoint
    guard case .text(let text)? = home?.pieces.first, text.lowercased().hasPrefix("http://") else { return }
    refuse("'tls' for http", at: key.keyRange, advice: "begin the URL with 'https://', or leave out 'tls'")
  }

  /// Returns the file's `base` for a key beside `steps`, which holds at its origin; nil for a key of the job itself.
  private mutating func ownBase(of name: String, _ draft: inout JobDraft, _ key: Node.Entry) -> Template? {
    if draft.own[name] == nil {
      if let base = draft.fileBase { return base }
      refuse(
        "'\(name)' beside 'steps' without a 'base' beside it", at: key.keyRange,
        advice: "it holds for the origin of that 'base'; add one, or move '\(name)' into the steps")
    } else if draft.job.endpoint?.inputURL != nil, draft.job.base == nil {
      refuse(
        "'\(name)' of an endpoint that only records know", at: key.keyRange,
        advice: "give the 'base' at whose origin it holds")
    }
    return nil
  }

  private mutating func checkHeaders(_ draft: JobDraft, _ auth: Job.Auth, _ key: Node.Entry) {
    for header in draft.job.headers where auth.headerNames.contains(header.name.lowercased()) {
      refuse(
        "'auth' sets the header '\(header.name)', which is in 'headers' too", at: key.keyRange,
        advice: "leave one of them out")
    }
    if case .header(let turned)? = draft.job.pages?.kind.item, auth.headerNames.contains(turned.lowercased()) {
      refuse(
        "'auth' sets the header '\(turned)', by which 'pages' turns", at: key.keyRange,
        advice: "rename one of them: each would replace the other")
    }
  }

  private mutating func checkQuery(_ draft: JobDraft, _ auth: Job.Auth, _ key: Node.Entry) {
    let names = auth.itemNames
    for name in names where draft.job.query.contains(where: { $0.name == name }) {
      refuse(
        "'auth' sets the item '\(name.printable)', which is in 'query' too", at: key.keyRange,
        advice: "leave one of them out")
    }
    if case .query(let turned)? = draft.job.pages?.kind.item, names.contains(turned) {
      refuse(
        "'auth' sets the item '\(turned.printable)', by which 'pages' turns", at: key.keyRange,
        advice: "rename one of them: each would replace the other")
    }
  }

  /// Refuses a token URL with plain http, except for this machine (RFC 6749 §2.3.1 asks for TLS).
  ///
  /// Only a URL without templates can be judged before it has values.
  private mutating func checkTokenURL(_ draft: JobDraft, _ auth: Job.Auth, _ key: Node.Entry) {
    guard let url = auth.tokenURL?.literal else { return }
    // Without a scheme of its own, it has the base's.
    let isAbsolute = url.prefix { !"/?#".contains($0) }.hasSuffix(":")
    guard var text = isAbsolute ? url : (draft.job.auth?.base ?? draft.job.base)?.literal else { return }
    if url.hasPrefix("//") { text = text.prefix { $0 != ":" } + ":" + url }
    guard text.lowercased().hasPrefix("http://") else { return }
    let host = text.dropFirst(7).prefix { !"/?#".contains($0) }.lowercased()
    let names = ["localhost", "127.", "[::1]"]
    if !names.contains(where: { host.hasPrefix($0) }) {
      refuse("a token URL with http", at: key.value.range, advice: "secrets are sent to it: begin it with 'https://'")
    }
  }
}
