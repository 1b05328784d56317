// The envelope of a response as a Swift type, with content under a key that is known only at run time.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Diagnostics

extension CodingUserInfoKey {
  /// Key of the decoder's `userInfo` for the root key of the content, a `String`, which `NetworkingResult` reads.
  public static let contentIdentifier = {
    guard let key = CodingUserInfoKey(rawValue: "pagecat.contentIdentifier") else {
      preconditionFailure("the standard library takes any string")
    }
    return key
  }()
}

/// A response body whose content is under one dynamic root key.
///
///     let decoder = JSONDecoder()
///     decoder.userInfo[.contentIdentifier] = "drinks"
///     let drinks = try decoder.decode(NetworkingResult<[Drink]>.self, from: data).content
public struct NetworkingResult<Content> {
  /// Content under the key.
  public let content: Content

  /// Creates a result by hand, for tests and previews.
  public init(content: Content) {
    self.content = content
  }
}

extension NetworkingResult: Sendable where Content: Sendable {}
extension NetworkingResult: Equatable where Content: Equatable {}

extension NetworkingResult: Decodable where Content: Decodable {
  /// Decodes the content under the root key.
  ///
  /// - Throws: `NetworkingError.invalidDecoderConfiguration` without a string in `userInfo[.contentIdentifier]`. If the
  ///   key is absent, `missingContentIdentifier` with the keys that exist. The decoder's own `DecodingError` if the
  ///   content does not decode.
  public init(from decoder: any Decoder) throws {
    guard let identifier = decoder.userInfo[.contentIdentifier] as? String else {
      throw NetworkingError.invalidDecoderConfiguration(
        reason: "set decoder.userInfo[.contentIdentifier] to the root key, a String")
    }
    let envelope = try decoder.container(keyedBy: RootKey.self)
    let key = RootKey(stringValue: identifier)
    guard envelope.contains(key) else {
      throw NetworkingError.missingContentIdentifier(
        identifier: identifier, source: nil, page: nil,
        reason: keysThatAreThere(envelope.allKeys.map(\.stringValue).sorted()))
    }
    content = try envelope.decode(Content.self, forKey: key)
  }
}

private struct RootKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) { return nil }
}

/// Returns the start of a name, for messages.
private func clipped(_ name: String) -> String { name.count > 200 ? "\(name.prefix(200))…" : name }

/// Returns `it has 'page', 'coins'` for messages, or that the object is empty.
func keysThatAreThere(_ names: [String]) -> String {
  if names.isEmpty { return "the object is empty" }
  let shown = names.prefix(20).map { "'\(clipped($0.printable))'" }.joined(separator: ", ")
  return "it has " + shown + (names.count > 20 ? ", …" : "")
}
