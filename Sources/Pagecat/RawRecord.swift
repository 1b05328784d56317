#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A record with the server's own bytes: one compact JSON text.
public struct RawRecord: Sendable, Hashable, CustomStringConvertible {
  /// The JSON text in UTF-8, without a line end.
  public let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The JSON text.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the record as a Swift value.
  ///
  /// - Throws: the decoder's own `DecodingError`.
  public func decode<Value: Decodable>(as type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
    try decoder.decode(type, from: Data(bytes))
  }
}
