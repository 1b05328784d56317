// The envelope of a response as a Swift type, whose content is at a place that is known only at run time.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import Diagnostics
import Engine
import JSONText
import Wire

extension CodingUserInfoKey {
  /// Key of the decoder's `userInfo` for the place of the content, a `String`, which `NetworkingResult` reads.
  public static let contentIdentifier = {
    guard let key = CodingUserInfoKey(rawValue: "pagecat.contentIdentifier") else {
      preconditionFailure("the standard library takes any string")
    }
    return key
  }()
}

/// A response body whose content is at one dynamic place.
///
///     let decoder = JSONDecoder()
///     decoder.userInfo[.contentIdentifier] = "drinks"
///     let drinks = try decoder.decode(NetworkingResult<[Drink]>.self, from: data).content
///
/// The place is a path, such as `data.items`, or `.` for the body itself. A name with other characters than letters,
/// digits, `_` and `-` stands in brackets: `["@graph"]`. With `.convertFromSnakeCase`, a name is either the server's own
/// (`user_posts`) or the converted one (`userPosts`).
public struct NetworkingResult<Content> {
  /// Content at the place.
  public let content: Content

  /// Creates a result by hand, for tests and previews.
  public init(content: Content) {
    self.content = content
  }
}

extension NetworkingResult: Sendable where Content: Sendable {}
extension NetworkingResult: Equatable where Content: Equatable {}

extension NetworkingResult: Decodable where Content: Decodable {
  /// Decodes the content.
  ///
  /// - Throws: `NetworkingError.invalidDecoderConfiguration` without a place in `userInfo[.contentIdentifier]`, or if a
  ///   `*` in it stands for several values. `missingContentIdentifier` with the keys that exist, if nothing is at the
  ///   place. The decoder's own `DecodingError` if the content does not decode.
  public init(from decoder: any Decoder) throws {
    guard let identifier = decoder.userInfo[.contentIdentifier] as? String else {
      throw NetworkingError.invalidDecoderConfiguration(
        .init(hint: "set decoder.userInfo[.contentIdentifier] to the path of the content, a String"))
    }
    var nested = decoder
    for step in try steps(to: identifier) { nested = try nested.value(at: step, on: identifier) }
    content = try nested.singleValueContainer().decode(Content.self)
  }
}

/// Returns the names on the way to the content.
private func steps(to identifier: String) throws(NetworkingError) -> [String] {
  if identifier == "." { return [] }
  let path: JSONPath
  do {
    path = try JSONPath(identifier)
  } catch {
    let reason = ([error.message] + [error.advice].compactMap { $0 }).joined(separator: ": ")
    throw .invalidDecoderConfiguration(.init(hint: reason.printable))
  }
  guard !path.hasEvery else {
    throw .invalidDecoderConfiguration(
      .init(
        hint: "'*' in '\(identifier.printable.shortName)' is every element, which is no one content: use a Pipeline"))
  }
  return path.steps.map(\.name)
}

extension Decoder {
  /// Returns the decoder of a member or an element.
  fileprivate func value(at name: String, on identifier: String) throws -> any Decoder {
    let reason: String
    if let object = try? container(keyedBy: AnyKey.self) {
      // A decoder that converts keys has none as the server spells them.
      for key in [name, name.convertedFromSnakeCase].map(AnyKey.init(stringValue:)) where object.contains(key) {
        return try object.superDecoder(forKey: key)
      }
      reason = keysThatAreThere((serverKeys ?? object.allKeys.map(\.stringValue)).sorted())
    } else if var array = try? unkeyedContainer() {
      // RFC 6901 §4: digits, without leading zeros.
      if let index = Int(name), index >= 0, "\(index)" == name {
        while array.currentIndex < index, !array.isAtEnd { _ = try array.superDecoder() }
        if !array.isAtEnd { return try array.superDecoder() }
      }
      reason = "'\(name.printable.shortName)' would be in an array" + (array.count.map { " of \($0)" } ?? "")
    } else {
      reason = "'\(name.printable.shortName)' would be in what is neither an object nor an array"
    }
    throw NetworkingError.missingContentIdentifier(
      identifier: identifier.printable.shortName, .init(hint: reason))
  }

  /// Keys of the object as the server spells them: decoders convert no keys of a dictionary.
  private var serverKeys: [String]? {
    (try? singleValueContainer().decode([String: Skipped].self)).map { Array($0.keys) }
  }
}

/// A value that is not read.
private struct Skipped: Decodable {
  init(from decoder: any Decoder) {}
}

extension String {
  /// The name that `JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase` makes of this one.
  fileprivate var convertedFromSnakeCase: String {
    let start = prefix { $0 == "_" }
    let words = split(separator: "_")
    guard words.count > 1 else { return self }
    let end = self[words[words.count - 1].endIndex...]
    let joined = words.dropFirst().reduce(words[0].lowercased()) { name, word in
      name + word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }
    return start + joined + end
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) { return nil }
}

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
      record: number, keyPath: quoted(secrets.redacting(context.writtenPath)),
      expected: quoted(secrets.redacting(expected)), found: quoted(secrets.redacting(text)),
      .init(source: name.printable))
  }
}

extension DecodingError.Context {
  /// Path in the form `address.city` or `tags[2]`.
  fileprivate var writtenPath: String {
    codingPath.reduce(into: "") { path, key in
      path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? key.stringValue : ".\(key.stringValue)")
    }
  }
}
