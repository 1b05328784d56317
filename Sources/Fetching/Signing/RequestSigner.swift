// AWS Signature Version 4 (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
//
// libcurl can sign as well (CURLOPT_AWS_SIGV4), but only from 7.75 on, and each later version has corrected what it signs.
// It also signs below the layer that records.

import Primitives
package import Wire

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

// The form of a request that is signed (AWS Signature Version 4).

/// A request in the canonical form that is hashed and signed.
package struct CanonicalRequest {
  /// The request with the fields that a signature needs, and without those of another signature.
  package let request: Request
  /// Names of the signed fields, as in `SignedHeaders`.
  package let names: String
  package let text: String

  /// - Parameters:
  ///   - time: moment of the signature as `20150830T123600Z`.
  ///   - bodyHash: SHA-256 of the body, hexadecimal.
  package init(_ unsigned: Request, _ key: SigningKey, time: String, bodyHash: String) {
    var request = unsigned
    for name in ["Authorization", "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-Sha256"] {
      request.fields.remove(name)
    }
    let isStorage = key.service == "s3"
    request.fields.append("X-Amz-Date", Redactable(time))
    if let token = key.token { request.fields.append("X-Amz-Security-Token", .secret(token)) }
    if isStorage { request.fields.append("X-Amz-Content-Sha256", Redactable(bodyHash)) }
    let fields = Self.canonicalFields(of: request)
    self.request = request
    names = fields.map(\.name).joined(separator: ";")
    text = [
      request.method, Self.canonicalPath(of: request.url.text, isStorage: isStorage),
      Self.canonicalQuery(of: request.url.text), fields.map { "\($0.name):\($0.value)\n" }.joined(), names, bodyHash,
    ].joined(separator: "\n")
  }

  /// Fields that intermediaries may change, or that libcurl adds.
  private static let unsigned: Set<String> = ["authorization", "user-agent", "accept-encoding", "connection", "expect"]

  private static func canonicalFields(of request: Request) -> [(name: String, value: String)] {
    var values: [String: [String]] = ["host": [host(of: request.url.text)]]
    for field in request.fields.all where !unsigned.contains(field.name.lowercased()) {
      let words = field.value.text.split { $0 == " " || $0 == "\t" }
      values[field.name.lowercased(), default: []].append(words.joined(separator: " "))
    }
    return values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.joined(separator: ",")) }
  }

  /// Returns the host as libcurl sends it: in its spelling, and without the standard port.
  private static func host(of url: String) -> String {
    let parts = URLParts(url)
    let isStandard = Origin(of: url).map { $0.port == ($0.scheme == "https" ? 443 : 80) } ?? false
    return String((isStandard ? parts.host : parts.authority) ?? "")
  }

  private static func canonicalPath(of url: String, isStorage: Bool) -> String {
    let segments = URLParts(url).path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(
      String.init)
    // A storage service has objects with any name, so the path is decoded once there, and not at all elsewhere.
    if isStorage { return "/" + segments.map(\.percentNormalized).joined(separator: "/") }
    var kept: [String] = []
    for segment in segments where !["", "."].contains(segment) {
      if segment == ".." { _ = kept.popLast() } else { kept.append(segment.percentEncoded) }
    }
    let isFolder = !kept.isEmpty && ["", ".", ".."].contains(segments.last)
    return "/" + kept.joined(separator: "/") + (isFolder ? "/" : "")
  }

  private static func canonicalQuery(of url: String) -> String {
    let items = URLParts(url).items.map { item in
      [item.name.percentNormalized, (item.value ?? "").percentNormalized]
    }
    return items.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }.map { $0.joined(separator: "=") }.joined(separator: "&")
  }
}

// Signs requests when they are sent: a signature is valid for minutes, and a request may wait longer for its slot.

/// Signs each request that has a key.
///
/// This layer is inside the rate limit, so that the time in the signature is that of sending. It is outside of what
/// counts and records, so that these see the fields that are really sent.
struct SigningTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let clock: any FetchClock

  init(_ next: any HTTPTransport, clock: any FetchClock) {
    self.next = next
    self.clock = clock
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    guard let key = request.signingKey else { return try await next.send(request) }
    return try await next.send(RequestSigner(key, at: Timestamp(clamping: clock.unixTime)).signed(request))
  }
}
