import Foundation
import TestSupport
import Testing

/// A server that speaks TLS (Tests/Certificates/serve.py), until it is released.
private final class TLSServer {
  let port: Int
  private let process = Process()
  private let input = Pipe()

  /// - Parameter arguments: its certificate; then the authority of its clients, and `optional` if they need none.
  init(_ arguments: [String]) throws {
    let output = Pipe()
    let folder = Shell.package + "/Tests/Certificates"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "serve.py"] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    port = try #require(Int(String(decoding: line, as: UTF8.self)))
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// A run with files for TLS, and its outcome.
struct TLSCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  var server = ["server.pem"]
  var tls: String?
  var endpoint = "https://127.0.0.1:PORT/list"
  /// Further lines of the job.
  var more = ""
  var environment: [String: String] = [:]
  /// A part of the output, or of the messages if the code is not 0.
  let expected: String
  var code: Int32 = 0

  static let all = [
    TLSCase(testDescription: "own authority", tls: "ca: ca.pem", expected: #"{"client":null"#),
    TLSCase(
      testDescription: "unknown authority", expected: "the certificate of '127.0.0.1' is not trusted", code: 3),
    TLSCase(
      testDescription: "another authority than that in SSL_CERT_FILE", environment: ["SSL_CERT_FILE": "other-ca.pem"],
      expected: "; the authorities are those in 'other-ca.pem', which SSL_CERT_FILE names: add the one", code: 3),
    TLSCase(
      testDescription: "another authority than that in CURL_CA_BUNDLE, which wins over SSL_CERT_FILE",
      environment: ["SSL_CERT_FILE": "ca.pem", "CURL_CA_BUNDLE": "other-ca.pem"],
      expected: "those in 'other-ca.pem', which CURL_CA_BUNDLE names", code: 3),
    TLSCase(
      testDescription: "a file of authorities that is not there", environment: ["CURL_CA_BUNDLE": "none.pem"],
      expected: "could not be read: they are in 'none.pem', which CURL_CA_BUNDLE names", code: 3),
    TLSCase(
      testDescription: "another authority than that in 'ca'", tls: "ca: other-ca.pem",
      environment: ["SSL_CERT_FILE": "ca.pem"], expected: "is not signed by an authority in 'ca' of 'tls'", code: 3),
    TLSCase(
      testDescription: "expired", server: ["expired.pem"], tls: "ca: ca.pem", expected: "' is refused: ", code: 3),
    TLSCase(
      testDescription: "another host's", server: ["elsewhere.pem"], tls: "ca: ca.pem",
      expected: "the certificate of '127.0.0.1' is refused: ", code: 3),
    TLSCase(
      testDescription: "client's certificate", server: ["server.pem", "ca.pem"],
      tls: "ca: ca.pem, certificate: client.pem, key: client.key", expected: #"{"client":"a client""#),
    TLSCase(
      testDescription: "client's certificate with its key", server: ["server.pem", "ca.pem"],
      tls: "ca: ca.pem, certificate: both.pem", expected: #"{"client":"a client""#),
    TLSCase(
      testDescription: "no client's certificate where one is wanted", server: ["server.pem", "ca.pem"],
      tls: "ca: ca.pem", expected: "wants a client's certificate", code: 3),
    TLSCase(
      testDescription: "client's certificate of a stranger", server: ["server.pem", "ca.pem"],
      tls: "ca: ca.pem, certificate: stranger.pem", expected: "refuses the certificate in 'stranger.pem'", code: 3),
    TLSCase(
      testDescription: "key of another certificate", server: ["server.pem", "ca.pem"],
      tls: "ca: ca.pem, certificate: client.pem, key: stranger.pem",
      expected: "the certificate in 'client.pem' can't be used with its key", code: 3),
    TLSCase(
      testDescription: "encrypted key", tls: "certificate: client.pem, key: encrypted.key",
      expected: "a.yaml:2:38: error: the private key in 'encrypted.key' is encrypted", code: 2),
    TLSCase(
      testDescription: "no key", tls: "certificate: client.pem",
      expected: "a.yaml:2:21: error: 'client.pem' has no private key in PEM", code: 2),
    TLSCase(
      testDescription: "no certificate in the file", tls: "ca: client.key",
      expected: "a.yaml:2:12: error: 'client.key' has no certificate in PEM", code: 2),
    TLSCase(
      testDescription: "missing file", tls: "ca: none.pem",
      expected: "a.yaml:2:12: error: cannot open 'none.pem': No such file", code: 2),
    TLSCase(
      testDescription: "pipe", tls: "ca: /dev/zero", expected: "a.yaml:2:12: error: '/dev/zero' is not a regular file",
      code: 2),
    TLSCase(
      testDescription: "path that is a secret", tls: "ca: \"${env.PLACE}\"", environment: ["PLACE": "geheim.pem"],
      expected: "error: cannot open '*", code: 2),
    TLSCase(
      testDescription: "http", tls: "ca: ca.pem", endpoint: "http://127.0.0.1:PORT/list",
      expected: "a.yaml:2:1: error: 'tls' for http", code: 2),
    TLSCase(
      testDescription: "trust at another origin", tls: "ca: ca.pem", endpoint: "https://127.0.0.1:PORT/away",
      expected: "the certificate of 'localhost' is not trusted", code: 3),
    TLSCase(
      testDescription: "no client's certificate at another origin", server: ["server.pem", "ca.pem", "optional"],
      tls: "ca: ca.pem, certificate: both.pem", endpoint: "https://127.0.0.1:PORT/away",
      environment: ["SSL_CERT_FILE": "ca.pem"], expected: #"{"client":null,"path":"/there"}"#),
    TLSCase(
      testDescription: "lines without a length, and the end of the connection is announced", tls: "ca: ca.pem",
      endpoint: "https://127.0.0.1:PORT/lines", more: "read: lines", expected: #"{"n":2}"#),
    TLSCase(
      testDescription: "lines without a length, and an end of the connection that is not announced", tls: "ca: ca.pem",
      endpoint: "https://127.0.0.1:PORT/cut", more: "read: lines", expected: "may have been cut", code: 3),
    TLSCase(
      testDescription: "the same, where it is meant", tls: "ca: ca.pem", endpoint: "https://127.0.0.1:PORT/cut",
      more: "read: lines\nignore: [partial]", expected: #"{"n":2}"#),
    TLSCase(
      testDescription: "JSON, which shows its own end", tls: "ca: ca.pem",
      endpoint: "https://127.0.0.1:PORT/cut?json", expected: #"{"n":1}"#),
  ]
}

@Suite("A connection by TLS", .limitedConcurrency, .needs("python3"))
struct TLSTests {
  private static let folder = Shell.package + "/Tests/Certificates"

  private static func run(
    _ spec: String, _ arguments: String = "", _ environment: [String: String] = [:]
  ) async throws -> Shell.Result {
    let folder = try TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder) {
      try FileManager.default.copyItem(atPath: Self.folder + "/" + name, toPath: folder.path(of: name))
    }
    _ = try folder.write(spec, to: "a.yaml")
    // Variables of the machine that runs the tests must not decide.
    let clean = """
      unset SSL_CERT_DIR; test -n "$SSL_CERT_FILE" || unset SSL_CERT_FILE
      test -n "$CURL_CA_BUNDLE" || unset CURL_CA_BUNDLE

      """
    let known = ["SSL_CERT_FILE": "", "CURL_CA_BUNDLE": ""].merging(environment) { $1 }
    let script = arguments.isEmpty ? "pagecat a.yaml -q --summary none </dev/null" : arguments
    return try await Shell.run(clean + script, in: folder.path, environment: known)
  }

  @Test("is made with the job's files, at their origin; what is wrong with one is said", arguments: TLSCase.all)
  func connection(_ tls: TLSCase) async throws {
    let server = try TLSServer(tls.server)
    let files = tls.tls.map { "tls: { \($0) }\n" } ?? ""
    let spec = "endpoint: \(tls.endpoint)\n\(files)retry: { attempts: 1 }\n\(tls.more)\n"
    let result = try await Self.run(spec.replacing("PORT", with: "\(server.port)"), "", tls.environment)
    #expect(result.code == tls.code, "\(result.error)")
    let text = tls.code == 0 ? result.output : result.error
    #expect(text.contains(tls.expected), "\(result.output)\(result.error)")
    #expect(!result.error.contains("BEGIN C") && !result.error.contains("MI"))
  }

  @Test("has the job's files for its token too, and none for another job's requests; a replay needs none")
  func others() async throws {
    let server = try TLSServer(["server.pem", "ca.pem", "optional"])
    let spec = """
      steps:
        - endpoint: https://127.0.0.1:PORT/one
          tls: { ca: ca.pem, certificate: client.pem, key: client.key }
          auth: { oauth2: { tokenUrl: "https://localhost:PORT/token", clientId: me, clientSecret: geheim-1 } }
        - endpoint: https://127.0.0.1:PORT/two?${input.client}
          tls: { ca: ca.pem }
        - endpoint: https://127.0.0.1:PORT/three?${input.path}
          tls: { ca: ca.pem, certificate: both.pem }
          set: { before: "${input.client:-nobody}" }
      """
    let script = """
      pagecat a.yaml --record a.har --summary none && rm ./*.pem ./*.key && pagecat a.yaml --replay a.har && grep -c 'PRIVATE\\|token-for' a.har
      """
    let result = try await Self.run(spec.replacing("PORT", with: "\(server.port)"), script)
    let line = #"{"client":"a client","path":"/three?%2Ftwo%3Fa%2520client","before":"nobody"}"#
    #expect(result.output == "\(line)\n\(line)\n0\n", "\(result.error)")
  }

  @Test("no output and no download takes the place of one of its files")
  func files() async throws {
    let server = try TLSServer(["server.pem", "ca.pem", "optional"])
    let spec = """
      base: https://127.0.0.1:\(server.port)/
      tls: { ca: ca.pem, certificate: client.pem, key: client.key }
      steps:
        - endpoint: one
          set: { n: [ca.pem, client.pem, client.key, other] }
        - each: { to: input.n }
          download: { url: two, to: "${input.to}" }
          onError: skip
      """
    let script = """
      pagecat a.yaml --summary none > out; grep -c path out; cmp client.key $PACKAGE/Tests/Certificates/client.key
      for name in ca.pem client.pem client.key; do pagecat a.yaml -o $name; echo $?; done
      """
    let result = try await Self.run(spec, script, ["PACKAGE": Shell.package])
    #expect(result.output == "1\n2\n2\n2\n", "\(result.error)")
    let refusals = result.error.matches(of: #/is a file that the run itself reads or writes|is read by the run: each/#)
    #expect(refusals.count == 6, "\(result.error)")
  }
}
