// A piece of a text shows nothing of a secret that was cut at its edges, in whatever form.

import Testing

@testable import Wire

@Suite struct CutSecretsTests {
  static let secret = "wJalr/XUt é+nF"

  /// In base64: `d0phbHIvWFV0IMOpK25G`.
  static let ends: [(text: String, redacted: String)] = [
    ("a wJal", "a ***"), ("a wJa", "a wJa"), ("wJalr/XU", "***"), ("a wJalr/XUt é+nF", "a ***"), ("wJalX", "wJalX"),
    // An escape is cut, or one within another.
    (#"a wJalr\"#, "a ***"), (#"a wJalr\/XUt"#, "a ***"), (#"a wJalr\u00"#, "a ***"), (#"a wJalr\\u002"#, "a ***"),
    ("a wJalr%", "a ***"), ("a wJalr%2", "a ***"), ("a wJalr%2FXUt%20%C3", "a ***"), ("a wJalr%25", "a ***"),
    (#"a wJalr\u00252"#, "a ***"), ("wJalr/XUt \u{FFFD}", "***"), ("a wJalr/XUt+\\u00e9", "a ***"),
    // What ends like an escape without being one.
    ("a wJa%", "a wJa%"), (#"a wJalx\"#, #"a wJalx\"#), ("a wJalr %", "a wJalr %"),
    // In base64, by itself and behind other bytes.
    ("Basic d0phbHIvW", "Basic ***"), ("dTp3SmFsci9YVX", "dT***"), ("d0p.", "d0p."),
    // Something else follows, so that nothing was cut here.
    ("wJalr ", "wJalr "), ("eyJrIjoid0phbCJ9 x", "eyJrIjoid0phbCJ9 x"),
  ]

  @Test("The beginning of a secret at a cut is masked", arguments: ends)
  func masked(text: String, redacted: String) {
    #expect(SecretStore([Self.secret]).redacting(text, isCut: true) == redacted)
    let cuts = text != redacted && !text.hasSuffix("nF")
    if cuts { #expect(SecretStore([Self.secret]).redacting(text) == text) }
  }

  @Test(
    "A reference of HTML that was cut belongs to the secret", arguments: ["&", "&a", "&amp", "&#3", "&#x26", "%26am"])
  func cutReferences(end: String) {
    #expect(SecretStore(["hunter&22"]).redacting("a hunter\(end)", isCut: true) == "a ***")
  }

  @Test(
    "The end of a secret behind the rest of a reference is shown", arguments: ["amp;22 x", "p;22", "#38;22", "26;22"])
  func restOfReferences(piece: String) {
    #expect(SecretStore(["hunter&2222"]).isShown(in: piece.replacing("22", with: "2222")))
    #expect(!SecretStore(["hunter&3333"]).isShown(in: piece))
  }

  static let pieces: [(piece: String, isShown: Bool)] = [
    (#"string "wJalr/XU…"#, true), (#"string "wJa…"#, false), (#""xxwJalr… and "yywJalr…"#, true),
    (#""xxwJalr… and "yy""#, true), (#"string "x wJalr y…"#, false), (#"string "blue""#, false),
    // Its end at the start, behind the rest of an escape.
    (" é+nF and more", true), ("+nF", false), ("XUt%20é%2BnF and", true), ("2FXUt%20%C3%A9%2BnF and", true),
    (#"u002FXUt é+nF"}"#, true), (#"/XUt \u00e9+nF""#, true), ("9YVXQgw6krbkY and", true),
    // Nothing but a part.
    ("r/XUt", true), (#"lr\/XUt\u0020\u00e"#, true), ("2FXUt%", false), ("2FXUt%20%C3", true), ("XU", false),
    ("", false), ("…", false),
  ]

  @Test("A piece of a text shows a secret of which it shows a part at an edge", arguments: pieces)
  func redacted(piece: String, isShown: Bool) {
    #expect(SecretStore([Self.secret]).isShown(in: piece) == isShown)
    #expect(!SecretStore().isShown(in: piece))
  }
}
