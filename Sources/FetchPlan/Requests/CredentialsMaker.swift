// Conversion of `auth` into credentials and their origin.

import PipelineSpec
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
  let scope: TemplateScope
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
    case .login(let login): return try grant(login)
    case .aws(let aws): return try signature(aws)
    case .netrc: return try login(for: home)
    }
  }

  /// Returns a template's text, which must be legal in a header.
  func value(_ template: Template, mayBeEmpty: Bool = false) throws(ParameterError) -> String? {
    guard let text = try template.text(in: scope)?.text else { return nil }
    if text.hasControlCharacter { throw scope.fault(template, "the value has a line end or another control character") }
    if text.isEmpty, !mayBeEmpty { throw scope.fault(template, "the value is empty") }
    return text
  }

  private func field(_ name: String, _ value: String) -> HTTPFields.Field {
    HTTPFields.Field(name: name, value: .secret(value))
  }

  /// Returns Basic credentials; the name or the password may be empty, but not both.
  private func basic(_ user: Template, _ password: Template?) throws(ParameterError) -> ProofAndSecrets? {
    guard let name = try value(user, mayBeEmpty: true) else { return nil }
    guard !name.utf8.contains(UInt8(ascii: ":")) else { throw scope.fault(user, "a user's name can't hold ':'") }
    var key = ""
    if let password {
      guard let text = try value(password, mayBeEmpty: true) else { return nil }
      key = text
    }
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
    var token: String?
    // Temporary credentials are those with a token: without one, the others are complete.
    if let template = aws.token { token = try value(template) }
    let key = SigningKey(id: id, secret: secret, token: token, region: region, service: service)
    return (.signature(key), [id, secret] + (token.map { [$0] } ?? []))
  }

  /// Returns a name that is a part of the signature's scope, where `/` separates the parts.
  private func scopeName(_ template: Template) throws(ParameterError) -> String? {
    guard let text = try value(template) else { return nil }
    let isName = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
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
