import Foundation
import Primitives
import TestSupport
import Testing
import Wire

@testable import Fetching

/// What another implementation has signed: botocore 1.44.5 (SigV4Auth, S3SigV4Auth) at 2015-08-30T12:36:00Z.
///
/// Those that begin with `get-` and `post-` are also in the test suite that AWS has published.
struct Vector: CustomTestStringConvertible, Sendable {
  let name: String
  let method: String
  let url: String
  let fields: [(name: String, value: String)]
  let body: String
  let service: String
  let region: String
  var token: String?
  let signed: String
  let signature: String

  init(
    _ name: String, _ method: String, _ url: String, _ fields: [(String, String)], _ body: String, service: String,
    region: String, token: String? = nil, signed: String, signature: String
  ) {
    (self.name, self.method, self.url, self.body) = (name, method, url, body)
    (self.service, self.region, self.token) = (service, region, token)
    (self.signed, self.signature) = (signed, signature)
    self.fields = fields.map { (name: $0.0, value: $0.1) }
  }

  var testDescription: String { name }

  static let all = [
    Vector(
      "get-vanilla", "GET", "https://example.amazonaws.com/", [], "", service: "service", region: "us-east-1",
      signed: "host;x-amz-date", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Vector(
      "get-vanilla-query-order-key-case", "GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1", [], "",
      service: "service", region: "us-east-1",
      signed: "host;x-amz-date", signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Vector(
      "get-vanilla-query-order-value", "GET", "https://example.amazonaws.com/?Param1=value2&Param1=value1", [], "",
      service: "service", region: "us-east-1",
      signed: "host;x-amz-date", signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
    Vector(
      "get-unreserved", "GET",
      "https://example.amazonaws.com/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", [], "",
      service: "service", region: "us-east-1",
      signed: "host;x-amz-date", signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    Vector(
      "a letter beyond ASCII", "GET", "https://example.amazonaws.com/%E1%88%B4", [], "", service: "service",
      region: "us-east-1",
      signed: "host;x-amz-date", signature: "697b34846207a3f72246f99d74ae1ee4fe54f44bb06730c58a0d339eb079596d"),
    Vector(
      "get-header-value-trim", "GET", "https://example.amazonaws.com/",
      [("My-Header1", " value1 "), ("My-Header2", "\"a   b   c\"")], "", service: "service", region: "us-east-1",
      signed: "host;my-header1;my-header2;x-amz-date",
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    Vector(
      "a space in the path, an item without a value", "GET", "https://example.amazonaws.com/a%20b/c?flag&x=%2F", [], "",
      service: "service", region: "us-east-1",
      signed: "host;x-amz-date", signature: "4917cee09ede6c5ab66358e0519a6b4097c112800438c129e5c066856dd9b9b5"),
    Vector(
      "slashes and dots", "GET", "https://example.amazonaws.com//a/./b//../c/", [], "", service: "service",
      region: "us-east-1",
      signed: "host;x-amz-date", signature: "03815191a982245f233767bed9d5022ca4cf6dc96e4c7598525bfdbc1932b50c"),
    Vector(
      "post-vanilla", "POST", "https://example.amazonaws.com/", [], "", service: "service", region: "us-east-1",
      signed: "host;x-amz-date", signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    Vector(
      "post-x-www-form-urlencoded", "POST", "https://example.amazonaws.com/",
      [("Content-Type", "application/x-www-form-urlencoded")], "Param1=value1", service: "service", region: "us-east-1",
      signed: "content-type;host;x-amz-date",
      signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    Vector(
      "a port", "GET", "http://127.0.0.1:8443/list?a=b", [], "", service: "execute-api", region: "eu-central-1",
      signed: "host;x-amz-date", signature: "671a13311dd7ae58843a36ed7cc8982e23e6ffab7f8ebeef10a9831604394390"),
    Vector(
      "the standard port", "GET", "https://example.amazonaws.com:443/", [], "", service: "service", region: "us-east-1",
      signed: "host;x-amz-date", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Vector(
      "a session token", "POST", "https://ce.us-east-1.amazonaws.com/",
      [("Content-Type", "application/x-amz-json-1.1"), ("X-Amz-Target", "AWSInsightsIndexService.GetCostAndUsage")],
      "{\"Granularity\":\"DAILY\",\"NextPageToken\":\"aä\"}", service: "ce", region: "us-east-1",
      token: "AQoDYXdzEPT//////////wEXAMPLE==",
      signed: "content-type;host;x-amz-date;x-amz-security-token;x-amz-target",
      signature: "9ae9c2aabcf94e2b345cb811e25a6c542550428206d58099467bc401cef2243a"),
    Vector(
      "s3", "GET", "https://bucket.s3.eu-west-1.amazonaws.com/a%20b//c%2B1?list-type=2&prefix=p%2Fq", [], "",
      service: "s3", region: "eu-west-1",
      signed: "host;x-amz-content-sha256;x-amz-date",
      signature: "6c6114f0f804ce0bf556e30302cc9e356aeccac49b2d18b080356d7a648a9fa8"),
  ]
}

@Suite("A signed request")
struct RequestSignerTests {
  @Test("has the signature that others make, and is signed once", arguments: Vector.all)
  func signature(_ vector: Vector) throws {
    let key = SigningKey(
      id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token: vector.token,
      region: vector.region, service: vector.service)
    var request = Request(method: vector.method, url: Redactable(vector.url))
    for field in vector.fields { request.fields.append(field.name, Redactable(field.value)) }
    // Fields that change on the way are not signed.
    request.fields.append("User-Agent", Redactable("pagecat/1"))
    if !vector.body.isEmpty { request.body = Request.Body(bytes: Array(vector.body.utf8), redacted: vector.body) }
    let signer = RequestSigner(key, at: try #require(Timestamp(seconds: 1_440_938_160)))
    let signed = signer.signed(signer.signed(request))
    let scope = "20150830/\(vector.region)/\(vector.service)/aws4_request"
    #expect(
      signed.fields.values(of: "Authorization") == [
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\(scope), SignedHeaders=\(vector.signed), "
          + "Signature=\(vector.signature)"
      ])
    #expect(signed.fields.values(of: "X-Amz-Date") == ["20150830T123600Z"])
    #expect(signed.fields.values(of: "X-Amz-Security-Token") == (vector.token.map { [$0] } ?? []))
    #expect(
      signed.fields.all.filter { $0.name != "X-Amz-Date" && $0.value.isSecret }.count == (vector.token == nil ? 1 : 2))
  }
}

// MARK: The assertion of a service account, which openssl verifies

@Suite("The JSON Web Token of a service account")
struct AccountKeyTests {
  private let folder: TemporaryFolder
  private let claims: AccountClaims

  init() throws {
    folder = try TemporaryFolder()
    claims = AccountClaims(
      keyPath: folder.path(of: "key.pem"), issuer: nil, subject: "ann", audience: "https://a.test/token", scope: "r w")
  }

  /// Runs openssl in the folder, and returns its output.
  @discardableResult
  private func openssl(_ arguments: String) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  private static func decoded(_ part: Substring) throws -> Data {
    var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
    while text.utf8.count % 4 != 0 { text += "=" }
    return try #require(Data(base64Encoded: text))
  }

  @Test("has the claims in order, and a signature that openssl verifies", arguments: [2_048, 4_096])
  func verified(bits: Int) throws {
    try openssl("genrsa -traditional -out pkcs1.pem \(bits)")
    try openssl("pkcs8 -topk8 -nocrypt -in pkcs1.pem -out key.pem")
    try openssl("rsa -in key.pem -pubout -out public.pem")
    for name in ["pkcs1.pem", "key.pem"] {
      let text = try AccountKey(path: folder.path(of: name)).assertion(claims, at: 1_000)
      let parts = text.split(separator: ".")
      try #require(parts.count == 3)
      #expect(try String(decoding: Self.decoded(parts[0]), as: UTF8.self) == #"{"alg":"RS256","typ":"JWT"}"#)
      #expect(
        try String(decoding: Self.decoded(parts[1]), as: UTF8.self)
          == #"{"sub":"ann","scope":"r w","aud":"https://a.test/token","iat":1000,"exp":1300}"#)
      try Self.decoded(parts[2]).write(to: URL(fileURLWithPath: folder.path(of: "signature")))
      _ = try folder.write(parts[0] + "." + parts[1], to: "message")
      #expect(try openssl("dgst -sha256 -verify public.pem -signature signature message") == "Verified OK\n")
      _ = try folder.write(parts[0] + "." + parts[1] + "x", to: "message")
      #expect(try openssl("dgst -sha256 -verify public.pem -signature signature message") != "Verified OK\n")
    }
  }

  @Test("names the account and the key of a JSON file of Google")
  func account() throws {
    try openssl("genrsa -traditional -out key.pem 2048")
    let pem = try folder.read("key.pem").replacing("\n", with: "\\n")
    let json = #"{"type":"service_account","private_key_id":"k1","private_key":"\#(pem)","client_email":"r@a.test"}"#
    let key = try AccountKey(path: try folder.write(json, to: "key.json"))
    #expect(key.account == "r@a.test")
    let parts = try key.assertion(claims, at: 0).split(separator: ".")
    #expect(try String(decoding: Self.decoded(parts[0]), as: UTF8.self).contains(#""kid":"k1""#))
    #expect(try String(decoding: Self.decoded(parts[1]), as: UTF8.self).hasPrefix(#"{"iss":"r@a.test","sub":"ann""#))
  }

  @Test("is refused for a key that is damaged, of another kind, or encrypted, and no message has any of the key")
  func faults() throws {
    try openssl("ecparam -genkey -name prime256v1 -noout -out ec1.pem")
    try openssl("pkcs8 -topk8 -nocrypt -in ec1.pem -out ec.pem")
    try openssl("genrsa -traditional -out key.pem 2048")
    let lines = try folder.read("key.pem").split(separator: "\n")
    _ = try folder.write((lines.prefix(5) + lines.suffix(1)).joined(separator: "\n"), to: "cut.pem")
    // The number of RSA stands in the text of a key of another kind.
    let fake = Data([0x30, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00])
    let pem = "-----BEGIN PRIVATE KEY-----\n\(fake.base64EncodedString())\n-----END PRIVATE KEY-----\n"
    _ = try folder.write(pem, to: "fake.pem")
    try openssl("pkcs8 -topk8 -in key.pem -passout pass:sesame -out locked.pem")
    for (name, part) in [
      ("ec.pem", "has no RSA key"), ("cut.pem", "is damaged"), ("fake.pem", "is damaged"),
      ("locked.pem", "is encrypted"), ("none.pem", "there is no file"),
    ] {
      do {
        let key = try AccountKey(path: folder.path(of: name))
        _ = try key.assertion(claims, at: 0)
        Issue.record("\(name) was taken")
      } catch {
        #expect(error.problem.contains(part))
        #expect(!lines.dropFirst().dropLast().contains { error.problem.contains($0) })
      }
    }
  }
}
