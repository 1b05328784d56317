import Foundation
import TestSupport
import Testing

/// Credentials of one kind, in a run whose server repeats all that it has been sent.
struct SecretKind: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let auth: String
  /// All that nobody may see: given, and received.
  let secrets: [String]
  /// Header field or query item that proves who asks.
  let proof: String

  private static let given = ["sesame-given-1", "sesame-given-2", "ann-bell-7"]

  static let all = [
    SecretKind(
      testDescription: "refresh token",
      auth: """
        oauth2: { tokenUrl: SERVER/token, clientId: ann-bell-7, clientSecret: "${env.ONE}", refreshToken: "${env.TWO}", with: { a: literal-77 } }
        """, secrets: given + ["literal-77", "sesame-access", "sesame-refresh"], proof: "Authorization"),
    SecretKind(
      testDescription: "refresh token, client in the body",
      auth: """
        oauth2: { tokenUrl: SERVER/token, clientId: ann-bell-7, clientSecret: "${env.ONE}", refreshToken: "${env.TWO}", send: body }
        """, secrets: given + ["sesame-access", "sesame-refresh"], proof: "Authorization"),
    SecretKind(
      testDescription: "login",
      auth: """
        login: { endpoint: token, body: { a: "${env.ONE}", b: ["${env.TWO}", literal-77] }, token: body.access_token }
        """, secrets: given.dropLast() + ["literal-77", "sesame-access"], proof: "Authorization"),
    SecretKind(
      testDescription: "login, used in a field",
      auth: """
        login: { endpoint: "token?u=${env.ONE}", headers: { X-Client: "Key literal-88", X-Other: "${env.TWO}" },
          form: { b: "${env.TWO}" }, token: body.access_token, as: { headers: { X-T: "a ${token}" } } }
        """, secrets: given.dropLast() + ["literal-88", "sesame-access"], proof: "X-T"),
    SecretKind(
      testDescription: "login, used in the query",
      auth: """
        login: { endpoint: token, form: { b: "${env.TWO}" }, token: body.access_token, as: { query: { t: "${token}" } } }
        """, secrets: ["sesame-given-2", "sesame-access"], proof: "t="),
    SecretKind(
      testDescription: "aws",
      auth: """
        aws: { id: ann-bell-7, secret: "${env.ONE}", token: "${env.TWO}", region: us-east-1, service: ce }
        """, secrets: given, proof: "Authorization"),
  ]
}

@Suite("What proves who asks", .limitedConcurrency)
struct SecretWaysTests {
  private static let spec = """
    base: SERVER/
    endpoint: one
    auth: { AUTH }
    contentIdentifier: items
    pages: { next: body.next }
    hosts: [OTHER]
    incremental: { mark: at, start: 0 }
    retry: 1
    """

  /// Three pages, of which the second is at another origin and the third is reached by a redirect over it.
  ///
  /// Then an error that repeats all requests.
  private static func answer(_ request: SeenRequest, _ sent: Watched<String>) -> Answer {
    let text = request.fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    let all = sent.update { sent in
      sent += "\(request.target) \(text) \(request.text) "
      return sent
    }
    let host = "http://\(request["Host"] ?? "")"
    let other = host.replacing("127.0.0.1", with: "localhost")
    let own = host.replacing("localhost", with: "127.0.0.1")
    switch request.path {
    case "/token":
      return .json(
        #"{"access_token":"sesame-access","refresh_token":"sesame-refresh"}"#,
        fields: ["X-Echo": "sesame-access", "Location": "/sesame-access"])
    case "/one": return .json(#"{"items":[{"n":1,"at":1}],"next":"\#(other)/two"}"#)
    case "/two": return .json(#"{"items":[{"n":2,"at":2}],"next":"\#(own)/three"}"#)
    case "/three": return .status(302, fields: ["Location": "\(other)/hop"])
    case "/hop": return .json(#"{"items":[{"n":3,"at":3}],"next":"\#(own)/four?t=sesame-access"}"#)
    default: return .json("no: \(all) sesame-access sesame-refresh", status: 500)
    }
  }

  @Test(
    "is sent to its own origin only, and shown nowhere: no message, recording, journal, state or summary",
    arguments: SecretKind.all)
  func ways(_ kind: SecretKind) async throws {
    let sent = Watched("")
    let server = try LoopbackServer { Self.answer($0, sent) }
    let folder = try TemporaryFolder()
    let spec = Self.spec.replacing("AUTH", with: kind.auth).replacing("SERVER", with: server.origin)
      .replacing("OTHER", with: "\"\(server.neighbour)\"")
    _ = try folder.write(spec, to: "a.yaml")
    let environment = ["ONE": "sesame-given-1", "TWO": "sesame-given-2"]
    let flags = "-o out --state state --record a.har --rejects rejects --summary json -vv"
    let script = """
      pagecat a.yaml \(flags)\(kind.testDescription.hasPrefix("refresh") ? " --tokens ../tokens-$$" : "")
      echo "exit $?"
      pagecat a.yaml \(flags.replacing(" --record a.har", with: "")) --resume
      echo "exit $?"
      pagecat check a.yaml
      rm -f ../tokens-*
      """
    let result = try await Shell.run(script, in: folder.path, environment: environment)
    #expect(result.output.hasPrefix("exit 3\nexit 3\na.yaml: ok"), "\(result.output)\(result.error)")
    var texts = [("the messages", result.output + result.error)]
    for name in folder.names where name != "a.yaml" { texts.append((name, try folder.read(name))) }
    #expect(texts.map(\.0).contains("a.har") && texts.map(\.0).contains("out.pagecat-journal"))
    for (name, text) in texts {
      for secret in kind.secrets where text.contains(secret) { Issue.record("\(name) shows \(secret): \(text)") }
    }
    Self.checkOrigins(server.requests, kind)
  }

  /// Checks that each request at its own origin has the proof, and no other has a secret.
  private static func checkOrigins(_ requests: [SeenRequest], _ kind: SecretKind) {
    for request in requests where request.path != "/token" {
      let isOwn = request["Host"]?.hasPrefix("127.0.0.1") == true
      let hasProof = request[kind.proof] != nil || request.target.contains(kind.proof)
      #expect(hasProof == isOwn || request.path == "/four", "\(request.target)")
      guard !isOwn else { continue }
      let text = request.target + request.fields.map(\.value).joined(separator: "\n") + request.text
      #expect(!kind.secrets.contains { text.contains($0) }, "\(text)")
    }
    #expect(requests.contains { $0.path == "/two" } && requests.contains { $0.path == "/hop" })
  }
}
