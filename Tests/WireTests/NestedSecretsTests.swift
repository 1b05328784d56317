// A secret that was encoded, and that encoded again with what stood around it, is hidden: it, and nothing else.

import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite("A secret within encodings")
struct NestedSecretsTests {
  /// A text with a secret in it, and where that is: somewhere between the two ranges, where base64 has digits that belong
  /// to two characters.
  struct Nest {
    var text: [UInt8]
    var inner: Range<Int>
    var outer: Range<Int>

    init(_ secret: String) {
      text = Array(secret.utf8)
      (inner, outer) = (text.indices, text.indices)
    }

    mutating func surround(_ before: String, _ after: String) {
      text = before.utf8 + text + after.utf8
      let shift = before.utf8.count
      inner = (inner.lowerBound + shift)..<(inner.upperBound + shift)
      outer = (outer.lowerBound + shift)..<(outer.upperBound + shift)
    }

    /// Encodes scalar by scalar.
    mutating func encode(_ spelling: (Unicode.Scalar) -> String) {
      var places = [0: 0]
      var (old, new) = (0, [UInt8]())
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        new += spelling(scalar).utf8
        old += String(scalar).utf8.count
        places[old] = new.count
      }
      inner = places[inner.lowerBound]!..<places[inner.upperBound]!
      outer = places[outer.lowerBound]!..<places[outer.upperBound]!
      text = new
    }

    mutating func encodeInBase64(isURLSafe: Bool) {
      let end = text.count
      var digits = Data(text).base64EncodedString()
      if isURLSafe {
        digits = digits.filter { $0 != "=" }.replacing("+", with: "-").replacing("/", with: "_")
      }
      let last = outer.upperBound == end ? digits.utf8.count : (outer.upperBound * 8 + 5) / 6
      outer = (outer.lowerBound * 8 / 6)..<last
      inner = ((inner.lowerBound * 8 + 5) / 6)..<(inner.upperBound * 8 / 6)
      text = Array(digits.utf8)
    }

    /// Whether a text is this one with the secret hidden, and with all else as it was.
    func isHidden(in masked: String) -> Bool {
      let mask = Array("***".utf8)
      return (outer.lowerBound...inner.lowerBound).contains { start in
        (inner.upperBound...outer.upperBound).contains { end in
          let hidden: [UInt8] = text[..<start] + mask + text[end...]
          return hidden.elementsEqual(masked.utf8)
        }
      }
    }
  }

  @Test(
    "is hidden in up to four of them, with texts around each, and the texts are not",
    arguments: 0..<40 as Range<UInt64>)
  func nests(seed: UInt64) {
    var dice = Dice(state: seed)
    for _ in 0..<25 {
      let secret = dice.text(of: "abcxyzABCXYZ0123456789+/= &%\\\"\né😀n", 5...24)
      var nest = Nest(secret)
      var names: [String] = []
      for _ in 0..<Int.random(in: 0...4, using: &dice) {
        if Bool.random(using: &dice) { surround(&nest, &dice) }
        names.append(dice.encode(&nest))
      }
      surround(&nest, &dice)
      let text = String(decoding: nest.text, as: UTF8.self)
      let masked = SecretStore([secret]).redacting(text)
      #expect(nest.isHidden(in: masked), "\(secret) in \(names): \(text)")
    }
  }

  private func surround(_ nest: inout Nest, _ dice: inout Dice) {
    let letters = "abcdefXYZ0189  .,;:&?=-_/\""
    nest.surround(dice.text(of: letters, 0...20) + "=", "&" + dice.text(of: letters, 0...20))
  }

  @Test("a text in a thousand layers is masked in time")
  func layers() {
    let text = String(repeating: "%" + String(repeating: "25", count: 40) + #"41\\\\\\\\u0041"#, count: 300)
    #expect(SecretStore(["hunter22"]).redacting(text) == text)
    #expect(SecretStore(["hunter22"]).redacting(text + "hunter22") == text + "***")
  }
}

extension String {
  /// With small hex digits behind each mark.
  fileprivate func lowercased(where isMark: (Character) -> Bool) -> String {
    var rest = 0
    return String(
      map { character in
        defer { rest = isMark(character) ? 2 : max(0, rest - 1) }
        return rest > 0 ? Character(character.lowercased()) : character
      })
  }
}

extension Dice {
  fileprivate mutating func text(of letters: String, _ length: ClosedRange<Int>) -> String {
    String((0..<Int.random(in: length, using: &self)).map { _ in letters.randomElement(using: &self)! })
  }

  fileprivate mutating func encode(_ nest: inout NestedSecretsTests.Nest) -> String {
    switch Int.random(in: 0..<10, using: &self) {
    case 0:
      nest.encode { String($0).percentEncoded }
      return "percent"
    case 1:
      nest.encode { String($0).percentEncoded.lowercased(where: { $0 == "%" }) }
      return "percent, small digits"
    case 2:
      nest.encode { $0 == " " ? "+" : String($0).percentEncoded }
      return "form"
    case 3:
      nest.encode { #"" %é😀"#.unicodeScalars.contains($0) || $0 < " " ? String($0).percentEncoded : String($0) }
      return "percent, where it must be"
    case 4:
      nest.encode { Self.json($0) { _ in nil } }
      return "JSON"
    case 5:
      nest.encode { Self.json($0) { $0 == "/" ? "\\/" : $0.isASCII ? nil : Self.escape($0, "%04x") } }
      return "JSON in ASCII"
    case 6:
      nest.encode { Self.json($0) { $0.properties.isAlphabetic ? nil : Self.escape($0, "%04X") } }
      return "JSON with \\u"
    case 7:
      nest.encode { Self.html[$0] ?? String($0) }
      return "HTML"
    case 8:
      nest.encode { $0.properties.isAlphabetic && $0.isASCII ? String($0) : String(format: "&#x%X;", $0.value) }
      return "HTML by numbers"
    default:
      let isURLSafe = Bool.random(using: &self)
      nest.encodeInBase64(isURLSafe: isURLSafe)
      return isURLSafe ? "base64url" : "base64"
    }
  }

  private static let html: [Unicode.Scalar: String] = [
    "&": "&amp;", "\"": "&#34;", "'": "&#39;", "<": "&lt;", ">": "&gt;", "+": "&#43;",
  ]

  private static func json(_ scalar: Unicode.Scalar, _ other: (Unicode.Scalar) -> String?) -> String {
    if let other = other(scalar) { return other }
    switch scalar {
    case "\"", "\\": return "\\" + String(scalar)
    case "\n": return "\\n"
    default: return String(scalar)
    }
  }

  private static func escape(_ scalar: Unicode.Scalar, _ format: String) -> String {
    String(scalar).utf16.map { "\\u" + String(format: format, Int($0)) }.joined()
  }
}
