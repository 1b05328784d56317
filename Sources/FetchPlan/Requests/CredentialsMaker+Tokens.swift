// Conversion of `oauth2` and `login` into requests for tokens.

import JSONText
import PipelineSpec
import Wire

extension CredentialsMaker {
  func grant(_ oauth2: Job.Auth.OAuth2) throws(ParameterError) -> ProofAndSecrets? {
    guard let id = try value(oauth2.clientID) else { return nil }
    // A missing optional value drops `auth`, except for one of 'scope' and 'with'.
    var (secret, refresh): (String?, String?) = (nil, nil)
    if let template = oauth2.clientSecret {
      secret = try value(template)
      if secret == nil { return nil }
    }
    if let template = oauth2.refreshToken {
      refresh = try value(template)
      if refresh == nil { return nil }
    }
    let others = try members(oauth2.others)
    let wish = try oauth2.scope.flatMap { (it) throws(ParameterError) in try value(it) }
    let grant = OAuth2Grant(
      id: id, secret: secret, isInBody: oauth2.send == .body, scope: wish, refresh: refresh, others: others)
    let hidden = others.filter(\.value.isSecret).map(\.value.text)
    var request = try grantForToken(at: oauth2.tokenURL, .oauth2(grant))
    request.takesBearerOnly = oauth2.use == .bearer
    return (.grant(request, try use(oauth2.use)), [id] + [secret, refresh].compactMap { $0 } + hidden)
  }

  func grant(_ login: Job.Auth.Login) throws(ParameterError) -> ProofAndSecrets? {
    var (body, contentType): (Request.Body?, String?) = (nil, nil)
    var secrets: [String] = []
    if !login.form.isEmpty {
      let members = try members(login.form)
      (body, contentType) = (OAuth2Grant.form(members), "application/x-www-form-urlencoded")
      secrets = members.filter(\.value.isSecret).map(\.value.text)
    } else if let value = login.body {
      guard let json = try value.json(in: scope) else { return nil }
      (body, contentType) = (Request.Body(json), "application/json")
      secrets = json.value.texts.filter { !$0.isSetting }
    }
    var grant = LoginGrant(
      method: login.sentMethod, body: body, contentType: contentType, token: login.token.steps.map(\.name))
    grant.fields = try fields(of: login)
    grant.removedFields = login.removedHeaders
    secrets += grant.fields.filter(\.value.isSecret).flatMap { field in
      // The part after a scheme, as in `Basic abc`, is a secret of its own.
      [field.value.text] + field.value.text.split(separator: " ").dropFirst().map(String.init)
    }
    return (.grant(try grantForToken(at: login.endpoint, .login(grant)), try use(login.use)), secrets)
  }

  /// Names of fields that describe the wanted reply, not the client.
  private static let publicFields: Set<String> = ["accept", "accept-language", "content-type", "user-agent"]

  /// Returns the fields of a login, which are secrets as the members of its form are.
  private func fields(of login: Job.Auth.Login) throws(ParameterError) -> [HTTPFields.Field] {
    var fields: [HTTPFields.Field] = []
    for header in login.headers {
      guard let value = try header.checkedValue(in: scope) else { continue }
      let isPublic = Self.publicFields.contains(header.name.lowercased()) || value.text.isSetting
      fields.append(
        HTTPFields.Field(name: header.name, value: value.isSecret || isPublic ? value : .secret(value.text)))
    }
    return fields
  }

  private func grantForToken(at template: Template, _ kind: TokenGrant.Kind) throws(ParameterError) -> TokenGrant {
    let url = try RequestURL.resolved(template, against: base, in: scope)
    guard OriginPolicy.mayHoldCredentials(url.text) else {
      throw scope.fault(
        template, "'\(url.redacted)' is not https, and secrets are sent to it: begin it with 'https://'")
    }
    var grant = TokenGrant(
      url: url, kind: kind, userAgent: try userAgent(sentTo: Origin(of: url.text)), retry: RetryPolicy(job.retry),
      timeout: job.timeout)
    grant.tlsFiles = tlsFiles?.extended(to: Origin(of: url.text))
    return grant
  }

  /// Names of members that describe the wanted token, not the client (RFC 6749 §4.4, RFC 8693 §2.1, RFC 8707 §2).
  private static let publicMembers: Set<String> = ["grant_type", "audience", "resource"]

  /// Returns further members of a token request.
  ///
  /// They are secrets, except for settings, and for members whose meaning is public.
  private func members(_ items: [Job.Auth.Item]) throws(ParameterError) -> [OAuth2Grant.Member] {
    var members: [OAuth2Grant.Member] = []
    for item in items {
      guard let text = try item.value.text(in: scope) else { continue }
      let isPublic = Self.publicMembers.contains(item.name) || !text.isSecret && text.text.isSetting
      members.append(OAuth2Grant.Member(name: item.name, value: isPublic ? text : .secret(text.text)))
    }
    return members
  }

  // MARK: Use

  private func use(_ use: Job.Auth.TokenUse) throws(ParameterError) -> TokenUse {
    switch use {
    case .bearer: return .bearer
    case .named(let headers, let items):
      return .named(
        fields: try headers.map { (it) throws(ParameterError) in
          TokenUse.Pattern(name: it.name, pieces: try pieces(it.value) { $0 })
        },
        items: try items.map { (it) throws(ParameterError) in
          TokenUse.Pattern(name: it.name.percentEncoded, pieces: try pieces(it.value, encoded: \.percentEncoded))
        })
    }
  }

  private func pieces(_ template: Template, encoded: (String) -> String) throws(ParameterError) -> [String?] {
    var pieces: [String?] = []
    for piece in template.pieces {
      switch piece {
      case .text(let text): pieces.append(encoded(text))
      case .hole(let hole) where hole.root == .token: pieces.append(nil)
      case .hole(let hole):
        guard let reading = try hole.reading(in: scope) else { continue }
        let text = try hole.text(of: reading, in: scope).text
        if text.hasControlCharacter { throw scope.fault(hole, "the value has a line end or another control character") }
        pieces.append(encoded(text))
      }
    }
    return pieces
  }

  /// Returns the User-Agent for the token request: that of the job's own requests, since servers may check it here too.
  ///
  /// The program's own is sent if the job's depends on a record, or is a secret for another origin.
  private func userAgent(sentTo target: Origin?) throws(ParameterError) -> Redactable? {
    guard let own = job.headers.first(where: { $0.name.lowercased() == "user-agent" }) else {
      return job.removedHeaders.contains("user-agent") ? nil : Redactable(userAgent)
    }
    guard !own.value.names(.input), let value = try own.checkedValue(in: scope) else { return Redactable(userAgent) }
    return value.isSecret && target != origin ? Redactable(userAgent) : value
  }
}

extension TLSFiles {
  /// Returns the files for one more origin, which the spec itself names.
  fileprivate func extended(to origin: Origin?) -> TLSFiles {
    TLSFiles(certificate: certificate, key: key, ca: ca, origins: origins.union(origin.map { [$0] } ?? []))
  }
}

extension JSONValue {
  /// All texts and numbers in the value, without the names of members.
  fileprivate var texts: [String] {
    switch kind {
    case .string: [string ?? ""]
    case .number: [text]
    case .array: elements.flatMap(\.texts)
    case .object: members.flatMap(\.value.texts)
    case .boolean, .null: []
    }
  }
}
