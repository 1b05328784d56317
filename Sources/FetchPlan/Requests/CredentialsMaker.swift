// Conversion of `auth` into credentials and their origin.

import JSONText
import PipelineSpec
import Primitives
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Evaluates a job's `auth`.
struct CredentialsMaker {
  let auth: Job.Auth
  let job: Job
  /// Origin of the job's endpoint.
  let origin: Origin?
  let base: Redactable?
  /// User-Agent of the program, used unless the job sets its own.
  let userAgent: String
  var scope: TemplateScope
  /// Files for TLS, which requests for tokens use too.
  let tlsFiles: TLSFiles?

  /// Returns the credentials; nil if an optional template in `auth` has no value.
  func credentials() throws(ParameterError) -> Credentials? {
    var home = origin
    if let base = auth.base { home = Origin(of: try RequestURL.base(base, in: scope).text) }
    guard let home, let (proof, secrets) = try proof(at: home) else { return nil }
    return Credentials(origin: home, proof: proof, secrets: secrets)
  }

  typealias ProofAndSecrets = (proof: Credentials.Proof, secrets: [String])

  private func proof(at home: Origin) throws(ParameterError) -> ProofAndSecrets? {
    switch auth.kind {
    case .bearer(let token):
      guard let token = try value(token) else { return nil }
      return (.named(fields: [field("Authorization", "Bearer \(token)")], items: []), [token])
    case .basic(let user, let password): return try basic(user, password)
    case .named(let headers, let items): return try named(headers, items)
    case .oauth2(let oauth2): return try grant(oauth2)
    case .login(let login):
      var maker = self
      maker.scope.token = LoginGrant.Refresh.placeholder
      return try maker.grant(login)
    case .aws(let aws): return try signature(aws)
    case .netrc: return try login(for: home)
    }
  }

  /// Returns a template's text, which must be legal in a header; nil without a template.
  func value(_ template: Template?, mayBeEmpty: Bool = false) throws(ParameterError) -> String? {
    guard let template, let text = try template.text(in: scope)?.text else { return nil }
    if text.hasControlCharacter { throw scope.fault(template, "the value has a line end or another control character") }
    if text.isEmpty, !mayBeEmpty { throw scope.fault(template, "the value is empty") }
    return text
  }

  /// Returns the value of a template that the spec may leave out; nil if the template is there and has no value.
  private func value(ofAny template: Template?, mayBeEmpty: Bool = false) throws(ParameterError) -> String?? {
    let text = try value(template, mayBeEmpty: mayBeEmpty)
    return text == nil && template != nil ? nil : .some(text)
  }

  private func field(_ name: String, _ value: String) -> HTTPFields.Field {
    HTTPFields.Field(name: name, value: .secret(value))
  }

  /// Returns Basic credentials; the name or the password may be empty, but not both.
  private func basic(_ user: Template, _ password: Template?) throws(ParameterError) -> ProofAndSecrets? {
    guard let name = try value(user, mayBeEmpty: true) else { return nil }
    guard !name.utf8.contains(UInt8(ascii: ":")) else { throw scope.fault(user, "a user's name can't hold ':'") }
    guard let given = try value(ofAny: password, mayBeEmpty: true) else { return nil }
    let key = given ?? ""
    guard !name.isEmpty || !key.isEmpty else { throw scope.fault(user, "the value is empty, and so is the password") }
    return basic(name, key)
  }

  /// Returns the credentials of RFC 7617.
  private func basic(_ user: String, _ password: String) -> ProofAndSecrets {
    let pair = Data("\(user):\(password)".utf8).base64EncodedString()
    return (.named(fields: [field("Authorization", "Basic \(pair)")], items: []), [user, password, pair])
  }

  private func named(_ headers: [Job.Header], _ items: [Job.Auth.Item]) throws(ParameterError) -> ProofAndSecrets? {
    var fields: [HTTPFields.Field] = []
    for header in headers {
      guard let text = try value(header.value, mayBeEmpty: true) else { continue }
      fields.append(field(header.name, text))
    }
    // The part after a scheme, as in `Token abc`, is a secret of its own.
    var secrets = fields.flatMap { field in
      [field.value.text] + field.value.text.split(separator: " ").dropFirst().map(String.init)
    }
    var made: [Credentials.Item] = []
    for item in items {
      guard let text = try value(item.value, mayBeEmpty: true) else { continue }
      made.append(Credentials.Item(name: item.name.percentEncoded, value: text.percentEncoded))
      secrets.append(text)
    }
    return fields.isEmpty && made.isEmpty ? nil : (.named(fields: fields, items: made), secrets)
  }

  // MARK: Signatures

  private func signature(_ aws: Job.Auth.AWS) throws(ParameterError) -> ProofAndSecrets? {
    guard let id = try value(aws.id), let secret = try value(aws.secret), let region = try scopeName(aws.region),
      let service = try scopeName(aws.service)
    else { return nil }
    // Temporary credentials are those with a token: without one, the others are complete.
    let token = try value(aws.token)
    let key = SigningKey(id: id, secret: secret, token: token, region: region, service: service)
    return (.signature(key), [id, secret] + (token.map { [$0] } ?? []))
  }

  /// Returns a name that is a part of the signature's scope, where `/` separates the parts.
  private func scopeName(_ template: Template) throws(ParameterError) -> String? {
    guard let text = try value(template) else { return nil }
    let isName = text.utf8.allSatisfy { $0.isLetterOrDigit && !(0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") }
    guard isName else { throw scope.fault(template, "a region or a service is letters (a to z), digits and '-'") }
    return text
  }

  // MARK: netrc

  private func login(for origin: Origin) throws(ParameterError) -> ProofAndSecrets {
    let file: Netrc
    switch scope.run.netrc {
    case .file(let netrc): file = netrc
    case .missing(let problem): throw fault(problem)
    }
    let host = origin.host.trimmingBrackets
    let found = file.login(for: host)
    if let mistake = file.mistake, found?.isWhole != true { throw fault(mistake) }
    guard let login = found else {
      throw fault("the file has no entry for '\(host)', and no default: add 'machine \(host)'")
    }
    guard let user = login.user, let password = login.password else {
      let entry = login.isDefault ? "its default, which comes first for '\(host)'," : "its entry for '\(host)'"
      throw fault("\(entry) has no \(login.user == nil ? "login" : "password")")
    }
    return basic(user, password)
  }

  private func fault(_ problem: String) -> ParameterError {
    ParameterError(
      template: "netrc", position: "\(scope.specName):\(auth.position)", problem: problem, isConfiguration: true)
  }
}

extension String {
  /// The address without the brackets that a URL puts around it.
  fileprivate var trimmingBrackets: String { hasPrefix("[") ? String(dropFirst().dropLast()) : self }
}

// MARK: Conversion of `oauth2` and `login` into requests for tokens

extension CredentialsMaker {
  func grant(_ oauth2: Job.Auth.OAuth2) throws(ParameterError) -> ProofAndSecrets? {
    // A missing optional value drops `auth`, except for one of 'scope' and 'with'.
    guard let id = try value(ofAny: oauth2.clientID), let secret = try value(ofAny: oauth2.clientSecret),
      let refresh = try value(ofAny: oauth2.refreshToken)
    else { return nil }
    let others = try members(oauth2.others)
    var grant = OAuth2Grant(
      id: id ?? "", secret: secret, isInBody: oauth2.send == .body, scope: try value(oauth2.scope), refresh: refresh,
      others: others)
    let hidden = others.filter(\.value.isSecret).map(\.value.text)
    if let jwt = oauth2.jwt {
      guard let claims = try claims(jwt, at: oauth2.tokenURL) else { return nil }
      grant.claims = claims
    }
    grant.deviceURL = try oauth2.deviceURL.map { (url) throws(ParameterError) in try tokenURL(url) }
    var request = try grantForToken(at: oauth2.tokenURL, .oauth2(grant))
    request.takesBearerOnly = oauth2.use == .bearer
    return (.grant(request, try use(oauth2.use)), [id, secret, refresh].compactMap { $0 } + hidden)
  }

  /// Returns what a service account says of itself; nil if an optional template has no value, except in `sub` and `scope`.
  private func claims(_ jwt: Job.Auth.OAuth2.JWT, at tokenURL: Template) throws(ParameterError) -> AccountClaims? {
    guard let path = try value(jwt.key), let issuer = try value(ofAny: jwt.issuer) else { return nil }
    var audience = try value(jwt.audience)
    if audience == nil { audience = try RequestURL.resolved(tokenURL, against: base, in: scope).text }
    return AccountClaims(
      keyPath: path, issuer: issuer, subject: try value(jwt.subject), audience: audience ?? "",
      scope: try value(jwt.scope))
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
    if let template = login.refreshToken, let next = login.nextRefreshToken {
      guard let first = try value(template) else { return nil }
      grant.refresh = LoginGrant.Refresh(first: first, next: next.steps.map(\.name))
      secrets.append(first)
    }
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

  /// Returns a URL to which secrets may be sent.
  private func tokenURL(_ template: Template) throws(ParameterError) -> Redactable {
    let url = try RequestURL.resolved(template, against: base, in: scope)
    guard OriginPolicy.mayHoldCredentials(url.text) else {
      throw scope.fault(
        template, "'\(url.redacted)' is not https, and secrets are sent to it: begin it with 'https://'")
    }
    return url
  }

  private func grantForToken(at template: Template, _ kind: TokenGrant.Kind) throws(ParameterError) -> TokenGrant {
    let url = try tokenURL(template)
    var grant = TokenGrant(
      url: url, kind: kind, userAgent: try userAgent(sentTo: Origin(of: url.text)), retry: RetryPolicy(job.retry),
      timeout: job.timeout)
    grant.tlsFiles = tlsFiles?.extended(to: Origin(of: url.text))
    grant.socket = job.socket
    return grant
  }

  /// Names of members that describe the wanted token, not the client (RFC 6749 §4.4).
  private static let publicMembers = OAuth2Grant.aims.union(["grant_type"])

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
