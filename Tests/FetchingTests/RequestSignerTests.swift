import Primitives
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
