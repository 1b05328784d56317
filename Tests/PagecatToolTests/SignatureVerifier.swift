// A server's check of AWS Signature Version 4, written from its rules and not from the program's code.

import Foundation
import Primitives
import TestSupport

/// Verifies signatures with the secret that belongs to an id.
struct SignatureVerifier {
  let id: String
  let secret: String

  /// Returns the reason why a service would refuse the request; nil if the signature is right.
  func refusal(of request: SeenRequest) -> String? {
    let form =
      #/AWS4-HMAC-SHA256 Credential=(.+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, SignedHeaders=(\S+), Signature=(.+)/#
    guard let date = request["X-Amz-Date"], let match = request["Authorization"]?.wholeMatch(of: form) else {
      return "no signature"
    }
    let (_, signer, day, region, service, names, signature) = match.output
    guard signer == id else { return "signed by '\(signer)'" }
    guard date.hasPrefix(day), date.wholeMatch(of: #/\d{8}T\d{6}Z/#) != nil else { return "signed at '\(date)'" }

    let signed = names.split(separator: ";").map(String.init)
    guard signed == signed.sorted() else { return "the names of fields are not in order" }
    let sent = Dictionary(grouping: request.fields) { $0.name.lowercased() }
    for name in sent.keys where ["host", "content-type"].contains(name) || name.hasPrefix("x-amz-") {
      guard signed.contains(name) else { return "'\(name)' is not signed" }
    }
    for name in signed where sent[name] == nil { return "'\(name)' is signed, but was not sent" }

    let bodyHash = SHA256.hash(request.body).map { String(format: "%02x", $0) }.joined()
    if service == "s3", request["X-Amz-Content-Sha256"] != bodyHash { return "the hash of the body is wrong" }
    let fields = signed.map { name in
      let values = (sent[name] ?? []).map { field in
        field.value.replacing(#/[ \t]+/#, with: " ").trimmingCharacters(in: .whitespaces)
      }
      return "\(name):\(values.joined(separator: ","))\n"
    }
    let canonical = [
      request.method, path(request.path, isStorage: service == "s3"), query(request.target), fields.joined(),
      String(names), bodyHash,
    ].joined(separator: "\n")
    let hash = SHA256.hash(Array(canonical.utf8)).map { String(format: "%02x", $0) }.joined()
    let scope = "\(day)/\(region)/\(service)/aws4_request"
    var key = Array("AWS4\(secret)".utf8)
    let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(hash)"
    for part in [String(day), String(region), String(service), "aws4_request", text] {
      key = SHA256.authenticationCode(of: Array(part.utf8), key: key)
    }
    let expected = key.map { String(format: "%02x", $0) }.joined()
    return expected == signature ? nil : "the signature is not that of\n\(canonical)"
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  private func encoded(_ text: some StringProtocol) -> String {
    text.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
  }

  private func path(_ path: String, isStorage: Bool) -> String {
    let segments = path.dropFirst().components(separatedBy: "/")
    if isStorage { return "/" + segments.map { encoded($0.removingPercentEncoding ?? $0) }.joined(separator: "/") }
    var kept: [String] = []
    for segment in segments where segment != "" && segment != "." {
      if segment == ".." { _ = kept.popLast() } else { kept.append(segment) }
    }
    let end = !kept.isEmpty && ["", ".", ".."].contains(segments.last) ? "/" : ""
    return "/" + kept.map { encoded($0) }.joined(separator: "/") + end
  }

  private func query(_ target: String) -> String {
    guard let mark = target.firstIndex(of: "?") else { return "" }
    let items = target[target.index(after: mark)...].components(separatedBy: "&").filter { $0 != "" }.map { item in
      let end = item.firstIndex(of: "=") ?? item.endIndex
      return [item[..<end], item[end...].dropFirst()].map { encoded($0.removingPercentEncoding ?? String($0)) }
    }
    return items.sorted { $0.lexicographicallyPrecedes($1) }.map { $0.joined(separator: "=") }.joined(separator: "&")
  }
}
