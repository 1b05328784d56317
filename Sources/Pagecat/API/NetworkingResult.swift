// The envelope of a response as a Swift type: content under one key that is known only at run time.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Diagnostics

extension CodingUserInfoKey {
  /// The root key under which `NetworkingResult` finds its content, as a `String` in the decoder's `userInfo`.
  public static let contentIdentifier = {
    guard let key = CodingUserInfoKey(rawValue: "pagecat.contentIdentifier") else {
      preconditionFailure("the standard library takes any string")
    }
    return key
  }()
}

/// A response body whose content sits under one dynamic root key.
///
///     let decoder = JSONDecoder()
///     decoder.userInfo[.contentIdentifier] = "drinks"
///     let drinks = try decoder.decode(NetworkingResult<[Drink]>.self, from: data).content
public struct NetworkingResult<Content> {
  /// What sits under the key.
  public let content: Content

  /// A result made by hand, for tests and previews.
  public init(content: Content) {
    self.content = content
  }
}

extension NetworkingResult: Sendable where Content: Sendable {}
extension NetworkingResult: Equatable where Content: Equatable {}

extension NetworkingResult: Decodable where Content: Decodable {
  /// - Throws: `NetworkingError.invalidDecoderConfiguration` without a string in `userInfo[.contentIdentifier]`;
  ///   `missingContentIdentifier`, listing the keys that are there, when the key is absent; the decoder's own
  ///   `DecodingError` when the content does not decode.
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

/// The start of a name, for messages.
private func clipped(_ name: String) -> String { name.count > 200 ? "\(name.prefix(200))…" : name }

/// `it has 'page', 'coins'` for messages, or that there is nothing.
func keysThatAreThere(_ names: [String]) -> String {
  if names.isEmpty { return "the object is empty" }
  let shown = names.prefix(20).map { "'\(clipped($0.printable))'" }.joined(separator: ", ")
  return "it has " + shown + (names.count > 20 ? ", …" : "")
}
