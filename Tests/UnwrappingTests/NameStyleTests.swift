import Foundation
import JSONText
import Testing
import Unwrapping

@Suite("decode.keys")
struct NameStyleTests {
  @Test(
    "camelCase joins words at underscores and keeps those at both ends",
    arguments: [
      ("user_id", "userId"), ("id", "id"), ("already", "already"), ("alreadyCamel", "alreadyCamel"),
      ("USER_ID", "userId"), ("fooBar_baz", "foobarBaz"), ("user__id", "userId"), ("_user_id", "_userId"),
      ("user_id_", "userId_"), ("__user_id__", "__userId__"), ("_user", "_user"), ("_", "_"), ("__", "__"), ("", ""),
      ("a_1_b", "a1B"), ("item_3d", "item3D"), ("straße_ß", "straßeSs"), ("über_ätzend", "überÄtzend"),
      ("x_o'neil", "xO'neil"), ("🐧_🐟", "🐧🐟"), ("a b_c", "a bC"),
    ])
  func camelCase(name: String, expected: String) throws {
    #expect(try shaped(object(name), keys: .camelCase) == object(expected))
  }

  @Test(
    "snake_case parts words at capitals and keeps abbreviations together",
    arguments: [
      ("userId", "user_id"), ("id", "id"), ("user_id", "user_id"), ("myURLProperty", "my_url_property"),
      ("URLValue", "url_value"), ("URL", "url"), ("userID", "user_id"), ("partCAPSLowerAGAIN", "part_caps_lower_again"),
      ("_oneTwo_", "_one_two_"), ("__oneTwo__", "__one_two__"), ("version4Thing", "version4_thing"),
      ("dataPoint22", "data_point22"), ("item3D", "item3_d"), ("User", "user"), ("A", "a"), ("aA", "a_a"), ("", ""),
      ("user_Id", "user_id"), ("user_ID", "user_id"), ("Content-Type", "content_type"),
      ("First Name", "first_name"), ("Total  - USD", "total_usd"), ("a_ b", "a_b"), ("-1d", "_1d"), ("a -", "a_"),
      ("asdfĆqer", "asdf_ćqer"),
      ("ÄußereÖffnung", "äußere_öffnung"), ("🐧🐟", "🐧🐟"), ("_", "_"),
    ])
  func snakeCase(name: String, expected: String) throws {
    #expect(try shaped(object(name), keys: .snakeCase) == object(expected))
  }

  @Test(
    "camelCase says what Foundation's key strategy says",
    arguments: [
      "user_id", "USER_ID", "fooBar_baz", "_user_id_", "a_1_b", "item_3d", "über_ätzend", "x_o'neil", "snake_case_name",
      "__v_x", "double__under", "iPhone_model", "geo_JSON_url",
    ])
  func foundationCamelCase(name: String) throws {
    struct AnyKey: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    struct Names: Decodable {
      let names: [String]
      init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
      }
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let theirs = try #require(try decoder.decode(Names.self, from: Data(object(name).utf8)).names.first)
    #expect(try shaped(object(name), keys: .camelCase) == object(theirs))
  }

  @Test(
    "snake_case says what Foundation's key strategy says",
    arguments: [
      "userId", "myURLProperty", "partCAPSLowerAGAIN", "_oneTwoThree_", "version4Thing", "dataPoint22Word", "aA",
      "already_snake_case", "manyWordsInThisThing", "asdfĆqer",
    ])
  func foundationSnakeCase(name: String) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    struct AnyKey: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
    struct One: Encodable {
      let name: String
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(1, forKey: AnyKey(stringValue: name))
      }
    }
    let theirs = String(decoding: try encoder.encode(One(name: name)), as: UTF8.self)
    #expect(try shaped("{\"\(name)\":1}", keys: .snakeCase) == theirs)
  }

  @Test("names change at every depth, values never")
  func everyDepth() throws {
    let record = #"{"a_b":{"c_d":[{"e_f":"g_h"},[[{"i_j":"k_l: \"m_n\":"}]]]},"o":["p_q",{}],"r_s":-1.50e+3}"#
    let expected = #"{"aB":{"cD":[{"eF":"g_h"},[[{"iJ":"k_l: \"m_n\":"}]]]},"o":["p_q",{}],"rS":-1.50e+3}"#
    #expect(try shaped(record, keys: .camelCase) == expected)
    #expect(try shaped(#"[{"a_b":1},2]"#, keys: .camelCase) == #"[{"aB":1},2]"#)
    #expect(try shaped(#""a_b""#, keys: .camelCase) == #""a_b""#)
  }

  @Test(
    "a name that stays the same stays byte for byte; one that changes is escaped no more than it must be",
    arguments: [
      (#"{"caf\u00e9":1}"#, #"{"caf\u00e9":1}"#),
      (#"{"caf\u00e9_bar":1}"#, #"{"caféBar":1}"#),
      (#"{"a\u005fb":1}"#, #"{"aB":1}"#),
      (#"{"a\/b":1}"#, #"{"a\/b":1}"#),
      (#"{"a_\"b\\":1}"#, #"{"a\"B\\":1}"#),
      (#"{"a_\ud800":1}"#, #"{"a_\ud800":1}"#),
    ])
  func escapes(record: String, expected: String) throws {
    #expect(try shaped(record, keys: .camelCase) == expected)
  }

  @Test(
    "two names of an object that become the same are an error that says which",
    arguments: [
      (#"{"a_b":1,"aB":2}"#, #"aB"#, #""a_b" and "aB""#),
      (#"{"aB":1,"x":{"a_b":0},"a_b":2}"#, #"aB"#, #""aB" and "a_b""#),
      (#"{"c":[0,{"a__b":[{"a_b":1}],"a_b":2}]}"#, #"c[1].aB"#, #""a__b" and "a_b""#),
      (#"{"o":{"a\u005fb":1,"aB":2}}"#, #"o.aB"#, #""a\u005fb" and "aB""#),
    ])
  func collisions(record: String, keyPath: String, names: String) throws {
    let expected = "\(keyPath): one member of this name after 'decode' (without 'keys' both stay), \(names)"
    #expect(try complaint(record, keys: .camelCase) == expected)
    // Whatever came before it, and in every later record too.
    let pages = "[{\"aB\":1},{\"a_b\":2},{\"a__b\":[3]},\(record)]"
    #expect(
      throws: ContentError.record(
        4,
        ModelError(
          keyPath: keyPath, expected: "one member of this name after 'decode' (without 'keys' both stay)", found: names)
      )
    ) {
      try unwrapped(pages, shape: Shape(keys: .camelCase, model: nil))
    }
  }

  @Test(
    "names that become the same in different objects, and one that the server writes twice, are none of our business")
  func sameElsewhere() throws {
    let record = #"{"a_b":1,"c":{"aB":2,"d":[{"a__b":3},{"a_b":4}]},"a_b":5}"#
    let expected = #"{"aB":1,"c":{"aB":2,"d":[{"aB":3},{"aB":4}]},"aB":5}"#
    #expect(try shaped(record, keys: .camelCase) == expected)
  }

  @Test("many different names, and very long ones, are each rewritten rightly, again and again")
  func manyNames() throws {
    let names = (0..<2_000).map { "name_\($0)_x" } + [String(repeating: "long_", count: 100) + "end"]
    let expected = (0..<2_000).map { "name\($0)X" } + ["long" + String(repeating: "Long", count: 99) + "End"]
    func record(_ names: [String]) -> String { "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}" }
    let page = try unwrapped(
      "[" + record(names) + "," + record(names.reversed()) + "]",
      shape: Shape(keys: .camelCase, model: nil))
    #expect(try text(of: page.lines) == record(expected) + "\n" + record(expected.reversed()) + "\n")
  }

  private func object(_ name: String) -> String { "{\"\(name)\":1}" }
}
