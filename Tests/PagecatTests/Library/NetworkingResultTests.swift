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
      error as? NetworkingError
        == .invalidDecoderConfiguration(
          .init(hint: "set decoder.userInfo[.contentIdentifier] to the path of the content, a String"))
    }
  }

  @Test("a key that is not there is named beside those that are")
  func missing() throws {
    #expect {
      _ = try decode(Int.self, #"{"b":1,"a":2}"#, under: "drinks")
    } throws: { error in
      error as? NetworkingError
        == .missingContentIdentifier(identifier: "drinks", .init(hint: "it has 'a', 'b'"))
    }
  }

  @Test("content of another type is the decoder's own error")
  func mismatch() throws {
    #expect(throws: DecodingError.self) { try decode([Drink].self, #"{"drinks":[{"strDrink":1}]}"#, under: "drinks") }
  }

  @Test(
    "a path leads to content inside, and '.' is the body itself",
    arguments: [
      ("data.items", #"{"data":{"items":[1,2]}}"#), ("0.items", #"[{"items":[1,2]},3]"#), ("1", "[0,[1,2]]"),
      (#"["a/b"]["m.n"]"#, #"{"a/b":{"m.n":[1,2]}}"#), (#"[""]"#, #"{"":[1,2]}"#), (".", "[1,2]"),
    ])
  func path(_ identifier: String, _ json: String) throws {
    #expect(try decode([Int].self, json, under: identifier) == [1, 2])
  }

  @Test(
    "with keys that the decoder converts, a name is the server's own or the converted one",
    arguments: ["user_posts", "userPosts", "top_level.user_posts", "topLevel.userPosts", "_own_key_", "all"])
  func snakeCase(_ identifier: String) throws {
    let decoder = JSONDecoder()
    decoder.userInfo[.contentIdentifier] = identifier
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let json = #"{"user_posts":[1],"top_level":{"user_posts":[1]},"_own_key_":[1],"all":[1],"x":null}"#
    #expect(try decoder.decode(NetworkingResult<[Int]>.self, from: Data(json.utf8)).content == [1])
    decoder.userInfo[.contentIdentifier] = "other_posts"
    #expect {
      _ = try decoder.decode(NetworkingResult<[Int]>.self, from: Data(json.utf8))
    } throws: {
      "\($0)".hasSuffix("it has '_own_key_', 'all', 'top_level', 'user_posts', 'x'")
    }
  }

  @Test("content keeps the decoder's own strategies")
  func strategy() throws {
    let decoder = JSONDecoder()
    decoder.userInfo[.contentIdentifier] = "at.0"
    decoder.dateDecodingStrategy = .secondsSince1970
    let date = try decoder.decode(NetworkingResult<Date>.self, from: Data(#"{"at":[86400]}"#.utf8)).content
    #expect(date == Date(timeIntervalSince1970: 86_400))
  }

  @Test(
    "a path that leads nowhere says how far it came",
    arguments: [
      ("data.items", #"{"data":{"a":1}}"#, "it has 'a'"),
      ("data.2", #"{"data":[1,2]}"#, "'2' would be in an array of 2"),
      ("data.01", #"{"data":[1,2]}"#, "'01' would be in an array of 2"),
      ("data.-1", #"{"data":[1,2]}"#, "'-1' would be in an array of 2"),
      ("data.x", #"{"data":1}"#, "'x' would be in what is neither an object nor an array"),
    ])
  func nowhere(_ identifier: String, _ json: String, _ reason: String) throws {
    #expect {
      _ = try decode(Int.self, json, under: identifier)
    } throws: { error in
      error as? NetworkingError
        == .missingContentIdentifier(identifier: identifier, .init(hint: reason))
    }
  }

  @Test(
    "a path to several values, and a text that is not a path, are refused",
    arguments: [("*.a", "'*'"), ("/data/a", "'data.a'"), ("@graph", #"'["@graph"]'"#)])
  func refused(_ identifier: String, _ word: String) throws {
    #expect {
      _ = try decode(Int.self, #"{"a":1}"#, under: identifier)
    } throws: { error in
      guard case .invalidDecoderConfiguration(let context)? = error as? NetworkingError else { return false }
      return context.hint.contains(word)
    }
  }
}
