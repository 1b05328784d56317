import Engine
import Diagnostics
import JSONText
import Wire

extension NetworkingError {
  /// Creates the error for a record that does not decode.
  ///
  /// - Parameter number: number of the record in the stream, from 1.
  init(_ error: DecodingError, in record: JSONValue, number: Int, name: String, hiding secrets: SecretStore) {
    let readable = "a value that can be read"
    let (context, expected) =
      switch error {
      case .typeMismatch(let type, let context), .valueNotFound(let type, let context): (context, "\(type)")
      case .keyNotFound(let key, let context): (context, "a member '\(key.stringValue)'")
      case .dataCorrupted(let context): (context, readable)
      @unknown default: (DecodingError.Context(codingPath: [], debugDescription: "\(error)"), readable)
      }
    // A decoder with a key strategy uses other names than the record.
    let found = record[JSONPath(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue })]
    let words = context.debugDescription
    let text = found.map { "\($0.kind.withArticle) (\($0.text)): \(words)" } ?? words
    self = .decodingError(
      source: name.printable, page: nil, record: number, keyPath: quoted(secrets.redacting(context.spelledPath)),
      expected: quoted(secrets.redacting(expected)), found: quoted(secrets.redacting(text)))
  }
}

extension DecodingError.Context {
  /// Path in the form `address.city` or `tags[2]`.
  fileprivate var spelledPath: String {
    codingPath.reduce(into: "") { path, key in
      path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? key.stringValue : ".\(key.stringValue)")
    }
  }
}
