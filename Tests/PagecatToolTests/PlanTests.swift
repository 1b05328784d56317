// `plan`: its commands make the requests of a run.

import Foundation
import TestSupport
import Testing

@Suite("The commands of a plan", .limitedConcurrency, .needs("curl", "jq", "openssl", "dash", "bash"))
struct PlanTests {
  private static let shells = ["sh", "dash", "bash"]

  /// Every spec in `pipelines/`; a file of Kubernetes is none.
  static let paths: [String] = {
    let names = FileManager.default.enumerator(atPath: Shell.package + "/pipelines")?.compactMap { $0 as? String } ?? []
    // A signed JWT has the time of its signing, and the token of a user who has logged in is in a file: the cases auth/jwt
    // and auth/device-login run the commands of such plans.
    let others: Set = ["apis/google-analytics.yaml", "apis/microsoft-graph.yaml"]
    return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix("kubernetes/") && !others.contains($0) }
      .map { "pipelines/\($0)" }.sorted()
  }()

  /// One answer for all that is asked: a token too, and a report that failed, so that no run waits for one.
  private static let answer =
    #"{"access_token":"token-1","id":"token-1","token":"token-1","data":{"token":"token-1"},"status":"failed"}"#

  /// Commands that make requests: those of the plan, and those that depend on records, without their `# `.
  private static func commands(of plan: String) -> (known: Int, templates: String) {
    let known = plan.split(separator: "\n").count { !$0.hasPrefix("#") && $0.contains("curl -sS") }
    let templates = plan.components(separatedBy: "\n\n").map { block in
      let lines = block.components(separatedBy: "\n")
        .drop { $0.wholeMatch(of: #/# (curl |printf |: "|\[ |[A-Z0-9]+=).*/#) == nil }
      return lines.map { $0.dropFirst(2) }.joined(separator: "\n")
    }
    return (known, templates.filter { !$0.isEmpty }.joined(separator: "\n"))
  }

  @Test("make the requests of a run, to the byte, in every shell", arguments: paths)
  func everySpec(_ path: String) async throws {
    let server = try LoopbackServer { _ in .json(Self.answer) }
    let folder = try TemporaryFolder()
    // The test's server takes the place of every other.
    let text = try String(contentsOfFile: Shell.package + "/" + path, encoding: .utf8)
      .replacing(#/https:\/\/[^\/\s"]+/#, with: server.origin)
      .replacing("unix:/var/run/docker.sock:", with: server.origin)
    _ = try folder.write(text, to: "a.yaml")
    let names = Set(text.matches(of: #/env\.([A-Za-z0-9_]+)/#).map { String($0.1) })
    let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "value-of-\($0)") })
    let parameters = path.hasPrefix("pipelines/meltano/") ? "server=\(server.origin) last=2" : ""

    let plan = try await Shell.run("pagecat plan a.yaml \(parameters)", in: folder.path, environment: environment)
    #expect(plan.code == 0, "\(plan.error)")
    #expect(server.requests.isEmpty && names.allSatisfy { !plan.output.contains("value-of-\($0)") })
    let (known, templates) = Self.commands(of: plan.output)
    #expect(known > 0)

    let folderOfStreams = text.contains("\nstreams:\n") ? "-o data/" : ""
    let run = "pagecat a.yaml \(parameters) --max-pages 1 --max-records 1 --concurrency 1 \(folderOfStreams)"
    _ = try await Shell.run(run, in: folder.path, environment: environment)
    let made = server.requests.map(Self.line)
    _ = try folder.write(plan.output, to: "plan.sh")
    _ = try folder.write(templates, to: "templates.sh")
    for shell in Self.shells {
      let before = server.requests.count
      let result = try await Shell.run(
        "\(shell) -eu plan.sh && \(shell) -n templates.sh", in: folder.path, environment: environment)
      #expect(result.code == 0, "\(result.error)")
      let planned = server.requests.dropFirst(before).map(Self.line)
      #expect(planned.count == known && planned.allSatisfy(made.contains), "\(planned)\n\(made)")
    }
    let verifier = SignatureVerifier(id: "value-of-AWS_ID", secret: "value-of-AWS_SECRET")
    for request in server.requests where request["X-Amz-Date"] != nil {
      #expect(verifier.refusal(of: request) == nil)
    }
  }

  // MARK: Requests that are hard to spell

  /// Runs a spec and its plan in every shell, expects the same requests, and returns all of them.
  ///
  /// - Parameter text: the spec; `SERVER` and `NEIGHBOUR` are two origins of the test's server.
  @discardableResult
  private func compare(
    _ text: String, _ environment: [String: String] = [:], answer: @escaping @Sendable (SeenRequest) -> Answer
  ) async throws -> [SeenRequest] {
    let server = try LoopbackServer(answer)
    let folder = try TemporaryFolder()
    _ = try folder.write(
      text.replacing("SERVER", with: server.origin).replacing("NEIGHBOUR", with: server.neighbour), to: "a.yaml")
    let run = try await Shell.run("pagecat a.yaml", in: folder.path, environment: environment)
    #expect(run.code == 0, "\(run.error)")
    let made = server.requests.map(Self.line)
    #expect(!made.isEmpty)
    let plan = try await Shell.run("pagecat plan a.yaml > plan.sh", in: folder.path, environment: environment)
    #expect(plan.code == 0, "\(plan.error)")
    for shell in Self.shells {
      let before = server.requests.count
      let result = try await Shell.run("\(shell) -eu plan.sh", in: folder.path, environment: environment)
      #expect(result.code == 0, "\(result.error)")
      let planned = server.requests.dropFirst(before).map(Self.line)
      #expect(planned == made, "\(shell)")
    }
    return server.requests
  }

  private static let key = #"{ id: "${env.ID}", secret: "${env.SECRET}", region: eu-1, service: SERVICE }"#

  @Test(
    "sign as a strict verifier wants it",
    arguments: [
      "endpoint: SERVER/a\nquery: { b: 2, a: [z, y], c: \"x y/ü~*\", d: \"\" }",
      "endpoint: \"SERVER/a//b/../c%20d/(e)/\"\nheaders: { X-Two: \"  a   b  \", X-Empty: \"\", Accept: null, User-Agent: null }",
      "endpoint: SERVER/a\nbody: { n: \"${env.NOTE}\" }",
      "endpoint: SERVER/a\nmethod: PUT\ntext: \"a\\0b '\\n\"",
      "endpoint: SERVER/a\nmethod: POST",
      "endpoint: SERVER/a\nform: { b: \"x y\", a: 1 }\nheaders: { X-Note: \"${env.NOTE}\" }",
    ], ["execute-api", "s3"])
  func signature(_ text: String, _ service: String) async throws {
    let environment = ["ID": "AKID+/=", "SECRET": "a+/=\\n 'b:,c\"%d", "NOTE": "note-of-1"]
    let requests = try await compare(
      text + "\nauth: { aws: \(Self.key.replacing("SERVICE", with: service)) }\n", environment
    ) { _ in .json("[1]") }
    let verifier = SignatureVerifier(id: "AKID+/=", secret: environment["SECRET"] ?? "")
    for request in requests { #expect(verifier.refusal(of: request) == nil) }
  }

  @Test("sign a field as a server reads it: without blanks at its ends, and with single ones inside")
  func signedBlanks() async throws {
    let values = ["two  words", "  ends\t ", "a: b  :c", "plain"]
    for value in values {
      let requests = try await compare(
        "endpoint: SERVER/a\nheaders: { X-Note: \"${env.NOTE}\", X-Other: \"a ${env.NOTE} b\" }\n"
          + "auth: { aws: \(Self.key.replacing("SERVICE", with: "s3")) }\n",
        ["ID": "AKID", "SECRET": "secret-of-1", "NOTE": value]
      ) { _ in .json("[1]") }
      let verifier = SignatureVerifier(id: "AKID", secret: "secret-of-1")
      for request in requests { #expect(verifier.refusal(of: request) == nil, "'\(value)'") }
    }
  }

  @Test("sign temporary credentials, and secrets that the plan does not show")
  func temporaryKey() async throws {
    let key = "{ id: \"${env.ID}\", secret: \"${env.SECRET}\", token: \"${env.TIME}\", region: eu-1, service: ce }"
    let requests = try await compare(
      "endpoint: SERVER/a\nquery: { k: \"${env.HASH}\" }\nauth: { aws: \(key) }",
      ["ID": "AKID", "SECRET": "secret-of-1", "TIME": "token/+=1", "HASH": "value1"]
    ) { _ in .json("[1]") }
    let verifier = SignatureVerifier(id: "AKID", secret: "secret-of-1")
    for request in requests { #expect(verifier.refusal(of: request) == nil) }
  }

  @Test(
    "encode the client of oauth2 as in a form (RFC 6749, 2.3.1)",
    arguments: ["plain-id", "a b:c", "100%+/=&?", "Ünï'cødé\"$`\\", "!*()~-._"], ["basic", "body"])
  func client(_ id: String, _ client: String) async throws {
    let auth =
      "{ tokenUrl: SERVER/token, clientId: \"${env.CLIENT}\", clientSecret: \"${env.PASSWORD}\", send: \(client) }"
    try await compare(
      "endpoint: SERVER/a\nauth: { oauth2: \(auth) }", ["CLIENT": id, "PASSWORD": "s:\(id)"]
    ) { _ in .json(Self.answer) }
  }

  @Test(
    "have the whole body",
    arguments: [
      #"a\0b"#, #"\0"#, #"a\n\n"#, #"a\0\n"#, #"\r\n\e[1m'\"$(id) `id` \\"#, #"@file"#,
      String(repeating: "it's 100 % ", count: 20_000) + #"\n"#, String(repeating: "x", count: 200_000) + "${env.KEY}",
    ])
  func body(_ text: String) async throws {
    try await compare("endpoint: SERVER/a\ntext: \"\(text)\"", ["KEY": "value-1"]) { _ in .json("[1]") }
  }

  @Test("stop where a variable of a printed body is missing")
  func missing() async throws {
    let server = try LoopbackServer { _ in .json("[1]") }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\ntext: \"\\0${env.KEY}\"", to: "a.yaml")
    for shell in Self.shells {
      let result = try await Shell.run("pagecat plan a.yaml | \(shell)", in: folder.path)
      #expect(result.code != 0 && result.error.contains("KEY"))
    }
    #expect(server.requests.isEmpty)
  }

  // MARK: Redirects

  @Sendable private static func redirected(_ request: SeenRequest) -> Answer {
    guard request.path == "/a" else { return .json("[1]") }
    let port = request["Host"]?.split(separator: ":").last ?? ""
    return .status(302, fields: ["Location": "http://localhost:\(port)/b"])
  }

  @Test("follow redirects as a run does where nothing is secret")
  func redirect() async throws {
    let requests = try await compare(
      "endpoint: SERVER/a\nheaders: { X-Plain: \"1\" }", answer: Self.redirected)
    #expect(requests.map(\.path) == ["/a", "/b", "/a", "/b", "/a", "/b", "/a", "/b"])
  }

  @Test(
    "send no secret to another origin",
    arguments: [
      #"headers: { X-Key: "${env.KEY}" }"#, #"query: { k: "${env.KEY}" }"#,
      #"auth: { headers: { X-Key: plain-key-1 } }"#,
      #"auth: { basic: { user: me, password: "${env.KEY}" } }"#, #"body: { k: "${env.KEY}" }"#,
      #"headers: { Cookie: "a=b" }"#,
      #"auth: { aws: { id: a, secret: "${env.KEY}", region: r, service: s } }"#, "auth: netrc",
      #"auth: { login: { endpoint: SERVER/a, token: body.token, body: { k: "${env.KEY}" } } }"#,
    ])
  func secretOfRedirect(_ key: String) async throws {
    let server = try LoopbackServer(Self.redirected)
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: SERVER/a\n\(key)\n".replacing("SERVER", with: server.origin), to: "a.yaml")
    _ = try folder.write("machine 127.0.0.1 login me password p\n", to: "netrc")
    let environment = ["KEY": "value-of-1", "NETRC": folder.path + "/netrc"]
    let plan = try await Shell.run("pagecat plan a.yaml", in: folder.path, environment: environment)
    #expect(plan.code == 0 && plan.output.contains("# only a GET without secrets follows redirects"))
    _ = try folder.write(plan.output, to: "plan.sh")
    _ = try await Shell.run("sh plan.sh", in: folder.path, environment: environment)
    #expect(server.requests.map(\.path) == ["/a"])
  }

  /// Returns a request without what is different each time: the time of a signature, the signature, and the codings that a
  /// run takes besides gzip if its libcurl has them.
  private static func line(_ request: SeenRequest) -> String {
    let fields = request.fields.map { field in
      let value = field.value
        .replacing(#/^\d{8}T\d{6}Z$/#, with: "TIME").replacing(#/^(zstd, )?(br, )?gzip$/#, with: "gzip")
        .replacing(#/^(AWS4.*Credential=.*/)\d{8}(/.*Signature=)[0-9a-f]{64}$/#) { "\($0.1)\($0.2)" }
      return "\(field.name): \(value)"
    }
    return ([request.method, request.target] + fields.sorted() + [request.text]).joined(separator: "\n")
  }
}
