// The form of a request that is signed (AWS Signature Version 4).

package import Wire

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
    guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
    let authority = url[start...].prefix { !"/?#".contains($0) }
    guard let origin = Origin(of: url) else { return String(authority) }
    let standard = origin.scheme == "https" ? 443 : 80
    guard origin.port == standard, let colon = authority.lastIndex(of: ":"),
      authority[authority.index(after: colon)...].allSatisfy(\.isNumber)
    else { return String(authority) }
    return String(authority[..<colon])
  }

  private static func canonicalPath(of url: String, isStorage: Bool) -> String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return "/" }
    let path = url[start...].prefix { $0 != "?" && $0 != "#" }.drop { $0 != "/" }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
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
    let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
    let items = query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return [parts[0].percentNormalized, parts.count > 1 ? parts[1].percentNormalized : ""]
    }
    return items.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }.map { $0.joined(separator: "=") }.joined(separator: "&")
  }
}
