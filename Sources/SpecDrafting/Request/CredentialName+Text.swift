import PipelineSpec
import Wire

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
