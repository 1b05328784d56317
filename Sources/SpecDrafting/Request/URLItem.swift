// One item of a query or a form.

import PipelineSpec
import Wire

/// A name and a value, as they are written in a query or a form.
struct URLItem {
  static let formType = "application/x-www-form-urlencoded"

  /// The item in its original spelling.
  let text: String
  let name: String
  let value: String
  /// False for an item without `=`.
  private let hasValue: Bool

  /// Reads an item of a query, in which `+` is a `+`.
  init(_ text: String) {
    self.init(text, decoding: text)
  }

  /// Reads an item of a form, in which `+` is a blank.
  init(form text: String) {
    self.init(text, decoding: text.replacing("+", with: " "))
  }

  private init(_ text: String, decoding written: String) {
    let pair = written.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    self.text = text
    name = pair.first?.percentDecodedText ?? ""
    value = pair.dropFirst().first?.percentDecodedText ?? ""
    hasValue = pair.count == 2
  }

  /// True if a spec's `query` sends the item in its original spelling.
  var isEncodedAsUsual: Bool { hasValue && "\(name.percentEncoded)=\(value.percentEncoded)" == text }

  /// True if the item is part of a form, since other text may also contain `=`.
  var isOfForm: Bool {
    hasValue && !name.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Self.unusual.contains($0) }
  }

  var isSecret: Bool {
    guard !value.isEmpty else { return false }
    return CredentialName.isCredential(item: name) || CredentialName.isToken(value)
      // `?a=b;api_key=…`, and the key of a function of Azure.
      || CredentialName.first(in: value) != nil || name.lowercased() == "code" && value.utf8.count >= Self.leastKey
  }

  /// Length of the shortest `code` that is a key rather than the code of a country or a product.
  private static let leastKey = 32

  /// Bytes that every encoder of forms encodes.
  private static let unusual = Array("\"<>\\^`{|}".utf8)
}

extension CredentialName {
  /// Returns the first name of a credential in a text that has a value: `password=…`, `"apiKey": …`, `<token>…`, or a
  /// part `name="password"` of a multipart form.
  static func first(in text: String) -> String? {
    let text = text.percentDecodedText
    let parts = text.hasPrefix("--") ? text.matches(of: #/form-data; name="([^"]+)"/#).map { String($0.1) } : []
    if let part = parts.first(where: { isCredential(item: $0) }) { return part }
    return text.matches(of: #/([A-Za-z0-9_\-]+)["'\]]*\s*[=:>]/#).lazy.map { String($0.1) }.first {
      isCredential(item: $0)
    }
  }
}

extension String {
  /// The text with percent-encoding undone.
  var percentDecodedText: String { String(decoding: percentDecoded, as: UTF8.self) }
}
