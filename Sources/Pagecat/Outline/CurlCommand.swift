// Requests as commands of curl.

import Diagnostics
import FetchPlan
import PipelineSpec
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A command of curl that makes the request that a run would make.
struct CurlCommand {
  private var options: [String] = []
  /// Commands that end the script if a value of the command is missing, each in a line.
  private(set) var checks: [String] = []
  private let secrets: SecretStore

  /// - Parameters:
  ///   - usesNetrc: true if curl is to find the credentials in the netrc file.
  ///   - secrets: secrets to redact; a stand-in is no secret.
  init(_ request: Request, usesNetrc: Bool = false, hiding secrets: SecretStore) {
    self.secrets = secrets
    if let method = Self.method(request) { options.append(method) }
    if usesNetrc { options.append("--netrc-file \"${NETRC:-$HOME/.netrc}\"") }
    addCredentials(of: request)
    for field in request.fields.all where !usesNetrc || !field.isNamed("Authorization") { add(field) }
    if !request.isFile, request.fields["Accept-Encoding"] == nil {
      options.append("--header 'Accept-Encoding: gzip' --compressed")
    }
    // Remove the fields that curl would add.
    let ownNames = ["Accept", "User-Agent"] + (request.hasContent ? ["Content-Type", "Expect"] : [])
    for name in ownNames where request.fields[name] == nil { options.append("--header '\(name):'") }
    if request.hasContent, request.method != "HEAD" {
      add("--data-raw", String(decoding: request.body?.bytes ?? [], as: UTF8.self))
    }
    let url = word(request.url.text)
    options.append(url)
  }

  /// Adds the key of a signature and the files of TLS.
  private mutating func addCredentials(of request: Request) {
    if let key = request.signingKey {
      add("--aws-sigv4", "aws:amz:\(key.region):\(key.service)")
      add("--user", "\(key.id):\(key.secret)")
      if let token = key.token { add("--header", "X-Amz-Security-Token: \(token)") }
    }
    if let files = request.ownTLSFiles {
      for (name, path) in [("cert", files.certificate), ("key", files.key), ("cacert", files.ca)] {
        if let path { add("--\(name)", path) }
      }
    }
  }

  private mutating func add(_ field: HTTPFields.Field) {
    let pair = field.isNamed("Authorization") ? Self.basicPair(field.value.text) : nil
    if field.isAlwaysSecret, isText(pair ?? field.value.text) {
      add("--header", "\(field.name): ***")
    } else if let pair {
      add("--user", pair)
    } else {
      let isBlank = field.value.text.allSatisfy { $0 == " " || $0 == "\t" }
      add("--header", isBlank ? "\(field.name);" : "\(field.name): \(field.value.text)")
    }
  }

  private mutating func add(_ option: String, _ value: String) {
    let argument = word(value)
    options.append("\(option) \(argument)")
  }

  /// Returns the text as a word of the shell, without secrets, and adds its checks.
  private mutating func word(_ text: String) -> String {
    let word = ShellWord(secrets.redacting(text))
    let newChecks = word.checks.filter { !checks.contains($0) }
    checks += newChecks
    return word.text
  }

  /// Reports that the spec has the value as plain text.
  private func isText(_ value: String) -> Bool {
    secrets.redacting(value) == value && !StandIn.pieces(of: value).contains(where: \.isVariable)
  }

  /// The command on several lines.
  var text: String { (["curl -sS --globoff --path-as-is"] + options).joined(separator: " \\\n  ") }

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

extension Request {
  /// True if the request gives the length of its body, as servers expect for these methods (RFC 9110 §8.6).
  fileprivate var hasContent: Bool { body != nil || ["POST", "PUT", "PATCH"].contains(method) }
}
