// Requests as commands of curl.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import Diagnostics
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Primitives
import Wire

/// A command of curl that makes the request that a run would make.
struct CurlCommand {
  private var options: [String] = []
  /// Commands that end the script if a value of the command is missing, each in a line.
  private var checks: [String] = []
  /// Commands that set the variables of a signature.
  private var signing: [String] = []
  /// Command whose output is the body; nil if the body is an argument.
  private var bodyPrinter: String?
  /// Functions of the shell that the command needs.
  private(set) var functions: Set<ShellFunction> = []
  /// True if curl follows redirects.
  let followsRedirects: Bool
  /// Method and URL with the names of variables, for messages: `POST https://desk.example/sessions`.
  let name: String
  private let secrets: SecretStore

  /// Largest body that is an argument; Linux allows 131,071 bytes, and the values of variables are added.
  private static let longestArgument = 65_536

  enum Use {
    case page
    /// A page whose credentials curl is to find in the netrc file.
    case pageByNetrc
    case login
    /// The token of `oauth2`: variables in Basic credentials and in the body are encoded as in a form.
    case oauth2
  }

  /// - Parameters:
  ///   - variables: variables for a signature.
  ///   - secrets: secrets to redact; a stand-in is no secret.
  init(
    _ request: Request, for use: Use, variables: SignatureVariables, hiding secrets: SecretStore
  ) {
    self.secrets = secrets
    followsRedirects = use == .page && request.mayFollowRedirects(hiding: secrets)
    let (usesNetrc, isForm) = (use == .pageByNetrc, use == .oauth2)
    var request = request
    request.url = Redactable(request.url.text.hidingCredentials)
    name = "\(request.method) \(secrets.redacting(StandIn.formatted(request.url.text)))"
    if let key = request.signingKey { sign(&request, with: key, variables) }
    if let method = Self.method(request) { options.append(method) }
    if usesNetrc { options.append("--netrc-file \"${NETRC:-$HOME/.netrc}\"") }
    if followsRedirects {
      let schemes = request.url.text.hasPrefix("http:") ? "http,https" : "https"
      options.append("--location --max-redirs 10 --proto-redir '=\(schemes)'")
    }
    addTLSFiles(of: request)
    for field in request.fields.all where !usesNetrc || !field.isNamed("Authorization") {
      add(field, isForm: isForm)
    }
    if !request.isFile, request.fields["Accept-Encoding"] == nil {
      options.append("--header 'Accept-Encoding: gzip' --compressed")
    }
    // Remove the fields that curl would add.
    let ownNames = ["Accept", "User-Agent"] + (request.hasContent ? ["Content-Type", "Expect"] : [])
    for name in ownNames where request.fields[name] == nil { options.append("--header '\(name):'") }
    if request.hasContent, request.method != "HEAD" { addBody(request.bodyText, isForm: isForm) }
    if let socket = request.ownSocket { add("--unix-socket", socket) }
    let host = Origin(scheme: "http", host: "localhost", port: 80)
    let url = word(request.ownSocket == nil ? request.url.text : host.url(like: request.url.text))
    options.append(url)
  }

  /// Adds the files of TLS.
  private mutating func addTLSFiles(of request: Request) {
    guard let files = request.ownTLSFiles else { return }
    for (name, path) in [("cert", files.certificate), ("key", files.key), ("cacert", files.ca)] {
      if let path { add("--\(name)", path) }
    }
  }

  /// Adds the fields of a signature, and the commands that compute the signature.
  ///
  /// `--aws-sigv4` of curl would sign fields that are not sent, and leaves the query unsorted in many versions.
  private mutating func sign(_ request: inout Request, with key: SigningKey, _ variables: SignatureVariables) {
    functions.insert(.sign)
    let time = StandIn.variable(variables.time).text
    let body = request.bodyText
    var hash = SHA256.hash(Array(body.utf8)).hexadecimal
    if secrets.redacting(body) != body || StandIn.pieces(of: body).contains(where: \.isStandIn) {
      hash = StandIn.variable(variables.hash).text
      let printer = printing(body)
      signing.append("\(variables.hash)=$(\(printer) | aws_hash) || exit")
    }
    let canonical = CanonicalRequest(request, key, time: time, bodyHash: hash)
    request = canonical.request
    let words = [key.id, key.secret, time, key.region, key.service, canonical.names, canonical.text].map { word($0) }
    signing.append("\(variables.time)=$(date -u +%Y%m%dT%H%M%SZ)")
    signing.append("\(variables.authorization)=$(aws_sign \(words.joined(separator: " "))) || exit")
    request.fields.append("Authorization", .secret(StandIn.variable(variables.authorization).text))
  }

  /// Adds the body as an argument, or as the output of a command if no argument can have it.
  private mutating func addBody(_ body: String, isForm: Bool) {
    let isArgument = body.utf8.count <= Self.longestArgument && !body.utf8.contains(0)
    if isArgument {
      add("--data-raw", body, isForm: isForm)
    } else {
      bodyPrinter = printing(body, isForm: isForm)
      options.append("--data-binary @-")
    }
  }

  /// Returns a command that prints a text to the byte, also one with NUL, which no word of a shell can have.
  private mutating func printing(_ text: String, isForm: Bool = false) -> String {
    let pieces = secrets.redacting(text).unicodeScalars.split(separator: "\0", omittingEmptySubsequences: false)
    let format = pieces.map { _ in "%s" }.joined(separator: "\\000")
    let words = pieces.map { word(String($0), isForm: isForm, isInPipeline: true) }
    return "printf '\(format)' \(words.joined(separator: " "))"
  }

  private mutating func add(_ field: HTTPFields.Field, isForm: Bool) {
    let pair = field.isNamed("Authorization") ? Self.basicPair(field.value.text) : nil
    if field.isAlwaysSecret, isText(pair ?? field.value.text) {
      add("--header", "\(field.name): ***")
    } else if let pair {
      add("--user", pair, isForm: isForm)
    } else {
      let isBlank = field.value.text.allSatisfy { $0 == " " || $0 == "\t" }
      add("--header", isBlank ? "\(field.name);" : "\(field.name): \(field.value.text)")
    }
  }

  private mutating func add(_ option: String, _ value: String, isForm: Bool = false) {
    let argument = word(value, isForm: isForm)
    options.append("\(option) \(argument)")
  }

  /// Returns the text as a word of the shell, without secrets, and adds its checks.
  private mutating func word(_ text: String, isForm: Bool = false, isInPipeline: Bool = false) -> String {
    let word = ShellWord(secrets.redacting(text), encodesVariables: isForm, isInPipeline: isInPipeline)
    let newChecks = word.checks.filter { !checks.contains($0) }
    checks += newChecks
    if word.encodesVariable { functions.insert(.encode) }
    return word.text
  }

  /// Reports that the spec has the value as plain text.
  private func isText(_ value: String) -> Bool {
    secrets.redacting(value) == value && !StandIn.pieces(of: value).contains(where: \.isVariable)
  }

  /// Commands that must come before, each ending in a line end.
  var preparation: String { (checks + signing).map { $0 + "\n" }.joined() }

  /// The command on several lines.
  var text: String {
    let start = (bodyPrinter.map { $0 + " |\n  " } ?? "") + "curl -sS --globoff --path-as-is"
    return ([start] + options).joined(separator: " \\\n  ")
  }

  /// Returns the option for the method, if curl would use another one.
  private static func method(_ request: Request) -> String? {
    if request.method == "HEAD" { return "--head" }
    return request.method == (request.hasContent ? "POST" : "GET") ? nil : "--request \(ShellWord(request.method).text)"
  }

  /// Returns user and password of Basic credentials (RFC 7617), if curl would make the same field from them.
  private static func basicPair(_ value: String) -> String? {
    guard value.hasPrefix("Basic "), let data = Data(base64Encoded: String(value.dropFirst(6))) else { return nil }
    let pair = String(decoding: data, as: UTF8.self)
    return pair.contains(":") && pair.printable == pair && Array(data) == Array(pair.utf8) ? pair : nil
  }
}

extension StandIn.Piece {
  /// True if the piece is no plain text.
  fileprivate var isStandIn: Bool { if case .standIn = self { true } else { false } }
}

extension Request {
  /// True if the request gives the length of its body, as servers expect for these methods (RFC 9110 §8.6).
  fileprivate var hasContent: Bool { body != nil || ["POST", "PUT", "PATCH"].contains(method) }

  fileprivate var bodyText: String { String(decoding: body?.bytes ?? [], as: UTF8.self) }

  /// Reports that curl follows redirects as a run does, with nothing that another origin must not get.
  ///
  /// curl sends most header fields, and the client's certificate, to any origin. A run sends no secrets there.
  fileprivate func mayFollowRedirects(hiding secrets: SecretStore) -> Bool {
    guard ["GET", "HEAD"].contains(method), body == nil, signingKey == nil, ownTLSFiles == nil else { return false }
    let texts = [url] + fields.all.map(\.value)
    return !fields.all.contains(where: \.isAlwaysSecret)
      && texts.allSatisfy { text in
        !text.isSecret && secrets.redacting(text.text) == text.text
          && !StandIn.pieces(of: text.text).contains(where: \.isVariable)
      }
  }
}

// Commands that fetch a token into a variable of the shell.

/// The request for a token, and the variable that takes it.
struct TokenCommand {
  let grant: TokenGrant
  let variable: String
  /// True if the token goes into a query, so that the variable must have it percent-encoded.
  let isInQuery: Bool

  private var request: Request {
    guard case .oauth2(let oauth2) = grant.kind else {
      var first: String?
      if case .login(let login) = grant.kind { first = login.refresh?.first }
      return grant.request(refreshingWith: first, SecretStore())
    }
    // The refresh token of a user who has logged in is in a file that only runs read.
    let refresh = oauth2.refresh ?? oauth2.deviceURL.map { _ in StandIn.variable("REFRESH_TOKEN").text }
    var request = grant.request(refreshingWith: refresh, SecretStore())
    if oauth2.claims != nil {
      let assertion = StandIn.variable(assertionVariable).text
      request.body = OAuth2Grant.form(oauth2.members(refreshingWith: nil, asserting: assertion))
    }
    return request
  }

  /// The shell's variable for the assertion of a service account.
  private var assertionVariable: String { Self.assertionVariable(of: variable) }

  static func assertionVariable(of variable: String) -> String { "\(variable)_JWT" }

  /// What a service account signs; nil for other clients.
  private var claims: AccountClaims? { if case .oauth2(let oauth2) = grant.kind { oauth2.claims } else { nil } }

  /// Functions that the commands before the request need.
  var functions: Set<ShellFunction> { claims == nil ? [] : [.assert] }

  /// Returns the command that signs the assertion of a service account; empty for other clients.
  private func signing(hiding secrets: SecretStore) -> String {
    guard let claims else { return "" }
    let members = claims.members(of: nil).map { ($0.name, JSONValue($0.value)) }
    let words = [claims.keyPath, JSONValue(members: members).text].map { ShellWord(secrets.redacting($0)) }
    let checks = words.flatMap(\.checks).map { $0 + "\n" }.joined()
    let call = "jwt_sign \(words.map(\.text).joined(separator: " "))"
    return "\(checks)\(assertionVariable)=$(\(call)) || exit\n"
  }

  /// Text of the token request's body.
  var body: String {
    String(decoding: request.body?.bytes ?? [], as: UTF8.self)
  }

  /// True if the variables of the request are encoded as in a form.
  var isForm: Bool { if case .oauth2 = grant.kind { true } else { false } }

  /// The request as a command.
  func command(_ variables: SignatureVariables, hiding secrets: SecretStore) -> CurlCommand {
    CurlCommand(request, for: isForm ? .oauth2 : .login, variables: variables, hiding: secrets)
  }

  /// Returns `TOKEN=$(curl … | jq -er '.access_token') || { echo …; exit 1; }`.
  func text(_ command: CurlCommand, hiding secrets: SecretStore) -> String {
    let path =
      switch grant.kind {
      case .oauth2: ["body", "access_token"]
      case .login(let login): login.token
      }
    // A form differs from a query in blanks only, and a token has none.
    let encoding = isInQuery ? "\n\(variable)=$(form_encode \"$\(variable)\")" : ""
    let failure = "echo \(ShellWord("no token in the answer of \(command.name)").text) >&2; exit 1"
    return
      "\(signing(hiding: secrets))\(command.preparation)\(variable)=$(\(command.text)\(Self.reader(of: path))) || { \(failure); }\(encoding)"
  }

  /// Returns the rest of a pipe that reads the value at a path of an answer.
  private static func reader(of path: [String]) -> String {
    let name = path.last ?? ""
    let fields = " -D - -o /dev/null |\n  tr -d '\\r' | awk -F': *' "
    switch path.first {
    case "headers":
      return fields + ShellWord("tolower($1) == \"\(name.lowercased())\" { sub(/^[^:]*: */, \"\"); print }").text
        + " | grep ."
    case "cookies":
      let start = "\(name)="
      return fields
        + ShellWord(
          "tolower($1) == \"set-cookie\" && index($2, \"\(start)\") == 1 { split(substr($2, \(start.utf8.count + 1)), v, \";\"); print v[1] }"
        ).text + " | grep ."
    default:
      // The whole body may be a text that is no JSON.
      if path.count == 1 { return " |\n  jq -erR 'fromjson? // .'" }
      let filter = path.dropFirst().map { "." + Self.name($0) }.joined()
      return " |\n  jq -er \(ShellWord(filter.isEmpty ? "." : filter).text)"
    }
  }

  /// A member's name in a filter of jq.
  private static func name(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x5F }
    return isPlain && !name.isEmpty ? name : JSONValue(name).text
  }
}

/// Names of the shell's variables for a signature, which no variable of the specs has.
struct SignatureVariables {
  let time: String
  let hash: String
  let authorization: String

  init(besides taken: Set<String>) {
    func free(_ name: String) -> String {
      var (candidate, number) = (name, 1)
      while taken.contains(candidate) {
        number += 1
        candidate = "\(name)\(number)"
      }
      return candidate
    }
    (time, hash, authorization) = (free("TIME"), free("HASH"), free("AUTHORIZATION"))
  }
}
