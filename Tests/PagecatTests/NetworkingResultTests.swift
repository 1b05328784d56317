import Foundation
import Pagecat
import Testing

@Suite("The envelope as a Swift type")
struct NetworkingResultTests {
  struct Drink: Codable, Equatable {
    let strDrink: String
  }

  private func decode<Content: Decodable>(
    _ type: Content.Type, _ json: String, under identifier: (any Sendable)?
  ) throws -> Content {
    let decoder = JSONDecoder()
    if let identifier { decoder.userInfo[.contentIdentifier] = identifier }
    return try decoder.decode(NetworkingResult<Content>.self, from: Data(json.utf8)).content
  }

  @Test("decodes what sits under the key that the decoder was given")
  func content() throws {
    let json = #"{"page":1,"drinks":[{"strDrink":"Mojito"}],"total":3}"#
    #expect(try decode([Drink].self, json, under: "drinks") == [Drink(strDrink: "Mojito")])
    #expect(try decode(Int.self, json, under: "total") == 3)
    #expect(try decode([Drink]?.self, #"{"drinks":null}"#, under: "drinks") == nil)
  }

  @Test("without a key, or with one that is no string, says how to give it", arguments: [nil, 1] as [Int?])
  func configuration(_ identifier: Int?) throws {
    #expect {
      _ = try decode(Int.self, "{}", under: identifier)
    } throws: { error in
      if case NetworkingError.invalidDecoderConfiguration(let reason) = error {
        reason.contains("userInfo[.contentIdentifier]")
      } else {
        false
      }
    }
  }

  @Test("a key that is not there is named beside those that are")
  func missing() throws {
    #expect {
      _ = try decode(Int.self, #"{"b":1,"a":2}"#, under: "drinks")
    } throws: { error in
      error as? NetworkingError
        == .missingContentIdentifier(identifier: "drinks", source: nil, page: nil, reason: "it has 'a', 'b'")
    }
  }

  @Test("content of another type is the decoder's own error")
  func mismatch() throws {
    #expect(throws: DecodingError.self) { try decode([Drink].self, #"{"drinks":[{"strDrink":1}]}"#, under: "drinks") }
  }
}
