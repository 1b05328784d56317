// AWS Signature Version 4 (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
//
// libcurl can sign as well (CURLOPT_AWS_SIGV4), but only from 7.75 on, and each later version has corrected what it signs.
// It also signs below the layer that records.

import Primitives
import Wire

/// Signs requests at one moment.
struct RequestSigner {
  private let key: SigningKey
  /// The moment as `20150830T123600Z`.
  private let time: String

  init(_ key: SigningKey, at time: Timestamp) {
    self.key = key
    let text = Timestamp(seconds: time.seconds)?.rfc3339 ?? ""
    self.time = text.filter { $0 != "-" && $0 != ":" }
  }

  private var day: String { String(time.prefix(8)) }
  private var scope: String { "\(day)/\(key.region)/\(key.service)/aws4_request" }

  /// Returns the request with its signature, which covers the method, the URL, the body, and all fields that are ours.
  func signed(_ request: Request) -> Request {
    let bodyHash = SHA256.hash(request.body?.bytes ?? []).hexadecimal
    let canonical = CanonicalRequest(request, key, time: time, bodyHash: bodyHash)
    var request = canonical.request
    let hash = SHA256.hash(Array(canonical.text.utf8)).hexadecimal
    let text = ["AWS4-HMAC-SHA256", time, scope, hash].joined(separator: "\n")
    request.fields.append(
      "Authorization",
      .secret(
        "AWS4-HMAC-SHA256 Credential=\(key.id)/\(scope), SignedHeaders=\(canonical.names), Signature=\(signature(of: text))"
      ))
    return request
  }

  private func signature(of text: String) -> String {
    var code = Array("AWS4\(key.secret)".utf8)
    for part in [day, key.region, key.service, "aws4_request", text] {
      code = SHA256.authenticationCode(of: Array(part.utf8), key: code)
    }
    return code.hexadecimal
  }
}
