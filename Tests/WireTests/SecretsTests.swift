// Whatever form a known secret takes in a text, it is not shown.

import Testing

@testable import Wire

@Suite struct SecretsTests {
  @Test("of the cookies that a server replaces, the last ones stay known, and all other secrets")
  func cookies() {
    var matcher = SecretMatcher(["given-secret"])
    matcher.insertPassing("session-first", of: "session")
    for number in 0..<2_000 { matcher.insertPassing("rotating-\(number)-value", of: "csrf") }
    #expect(matcher.values.count < 160)
    #expect(matcher.redacting("given-secret session-first rotating-1999-value") == "*** *** ***")
    for number in 0..<5_000 { matcher.insertPassing("named-\(number)-value", of: "name\(number)") }
    #expect(matcher.values.count < 1_200)
    #expect(matcher.redacting("given-secret named-4999-value") == "*** ***")
    // A value that is also another secret never passes.
    matcher.insertPassing("both-kinds-1", of: "a")
    matcher.insert("both-kinds-1")
    for number in 0..<2_000 { matcher.insertPassing("later-\(number)-value", of: "a") }
    #expect(matcher.redacting("both-kinds-1") == "***")
  }

  static let forms: [(secret: String, text: String, redacted: String)] = [
    ("hunter22", "a hunter22 b hunter22", "a *** b ***"), ("hunter22", "Hunter22 hunter2", "Hunter22 hunter2"),
    // Percent-encoded: all of it, some of it, either case, a form's plus.
    ("a/b c+d", "x=a%2Fb%20c%2Bd&y", "x=***&y"), ("a/b c+d", "x=a%2fb+c%2bd&y", "x=***&y"),
    ("a/b c+d", "x=a/b%20c+d&y", "x=***&y"), ("a/b c+d", "a/b c+d", "***"), ("pässword", "?k=p%C3%A4ssword", "?k=***"),
    ("pässword", "?k=p%c3%a4ssword%", "?k=***%"), ("pässword", "%70%c3%a4%73%73word%2", "***%2"),
    ("100%25", "100%25 100%2525", "*** ***"),
    // JSON-escaped.
    ("a\"b/c\\d", #"{"k":"a\"b\/c\\d"}"#, #"{"k":"***"}"#), ("a\"b/c\\d", #"a\"b/c\\d"#, "***"),
    ("pässword", #""p\u00e4ssword" "p\u00E4ssword""#, #""***" "***""#), ("key😀1", #""key\ud83d\ude001""#, #""***""#),
    ("a\nb\tc\u{1}", #"a\nb\tc\u0001"#, "***"), ("abcd\u{8}\u{C}\r", #"\u0061bcd\b\f\r\q"#, #"***\q"#),
    ("a b&c", #""url":"x?k=a%20b\u0026c""#, #""url":"x?k=***""#),
    // In CSV, with its quotes doubled.
    ("my\"secret99", #"1,"my""secret99",2"#, #"1,"***",2"#), ("\"quoted\"", #"""quoted"""#, "***"),
    // Base64, padded, unpadded, URL-safe.
    ("s3cret", "Basic czNjcmV0", "Basic ***"), ("s3cret!", "czNjcmV0IQ==", "***"), ("s3cret!", "czNjcmV0IQ.x", "***.x"),
    ("s3cret!", "czNjcmV0IQ%3D%3D", "***"), ("??>>~~", "Pz8+Pn5+ Pz8-Pn5- Pz8%2BPn5%2B", "*** *** ***"),
    // Base64 of a longer text that holds it, wherever it begins in there.
    ("s3cr3tKey/+v\"al", "dTpzM2NyM3RLZXkvK3YiYWw=", "dT***"), ("s3cret!", "eDpzM2NyZXQhOnk=", "eD***Onk="),
    ("s3cret!", "eHM6czNjcmV0ITp5", "eHM6***p5"), ("s3cret!", "czNjcmV0ITp5", "***p5"),
    ("s3cret!", "eHMzY3JldCE6eQ==", "e***6eQ=="),
    // One within the other: a login page that is told where to return to, JSON in JSON, a state in base64.
    (
      "abc+d/e==", "/login?return_to=http%3A%2F%2Fh%2Fi%3Fk%3Dabc%252Bd%252Fe%253D%253D",
      "/login?return_to=http%3A%2F%2Fh%2Fi%3Fk%3D***"
    ),
    ("abc+d/e==", "k=abc%25252bd%25252Fe%25253d%25253D&x", "k=***&x"), ("a b&c", "k=a%2Bb%2526c", "k=***"),
    ("p\"w\\e", #"{"e":"{\"k\": \"p\\\"w\\\\e\"}"}"#, #"{"e":"{\"k\": \"***\"}"}"#),
    ("p\"w\\e", "?k=p%2522w%255Ce%22", "?k=***%22"), ("p\"w\\n", #"u?k=p\%22w\\n"#, "u?k=***"),
    ("pä/w", #"{"u":"x?k=p%C3%A4\/w&k=p\u0025c3%a4%2Fw"}"#, #"{"u":"x?k=***&k=***"}"#),
    ("pä/w", "%22p%5Cu00e4%5C%2Fw%22", "%22***%22"), ("s3cret!", #"czNjcmV0I\u0051\u003d="#, "***"),
    ("s3cret!", "czNjcmV0IQ%253D%253d", "***"), ("abc+d/e", "x=eyJrIjoiYWJjJTJCZCUyRmUifQ==", "x=eyJrIjoi***ifQ=="),
    ("abc+d/e", "/aux=/eyJrIjoiYWJjJTJCZCUyRmUifQ", "/aux=/eyJrIjoi***ifQ"), ("s3cret!", "Y3pOamNtVjBJUT09", "***"),
    ("a b!", "YSti%49Q", "***"), ("a%41\\n/b", #"a\u002541\\\\n%2Fb"#, "***"),
    ("abc%2Bd", "abc%2Bd abc%252Bd abc+d", "*** *** abc+d"),
    // Escaped for HTML, by names and numbers, within other encodings and around them.
    ("a&b\"c'd<e>", "<p>a&amp;b&quot;c&#39;d&lt;e&gt;</p>", "<p>***</p>"),
    ("a&b'c", "a&#38;b&apos;c a&#x26;b&#X27;c", "*** ***"),
    ("k3y+/=", "k3y&#43;&#x2F;&#x3d;", "***"), ("pässword", "p&#228;ssword p&#x000e4;ssword", "*** ***"),
    ("a&b c", "?k=a%26b+c&amp;x k=a&amp;amp;b c", "?k=***&amp;x k=***"),
    ("a&b\"c", #"{"h":"a&amp;b\u0026quot;c"}"#, #"{"h":"***"}"#),
    ("a+b&c", "k=a%2526%252343;b%2526amp;c;", "k=***;"), ("s3cret!", "czNjcmV0IQ&#61;&#61;", "***"),
    ("a&b!", "YSZhbXA7YiE=", "***"), ("a&b;c", "a&bb;c a&#;b &#x; a&#1114112;b", "a&bb;c a&#;b &#x; a&#1114112;b"),
    // Too short to be searched for.
    ("abc", "abc YWJj", "abc YWJj"), ("", "abc", "abc"),
    // Nothing there, or only a part.
    ("secret", "", ""), ("secret", "secre", "secre"),
    ("secret", "100% \\ \\u12 \\ud83d %zz", "100% \\ \\u12 \\ud83d %zz"),
  ]

  @Test("Every form of a secret is masked", arguments: forms)
  func masks(secret: String, text: String, redacted: String) {
    #expect(SecretStore([secret]).redacting(text) == redacted)
  }

  @Test("The longest of several secrets wins, and overlapping ones leave nothing between them")
  func overlapping() {
    let secrets = SecretStore(["abcd", "abcdef", "efghij", "abcd"])
    #expect(secrets.redacting("abcdef abcd") == "*** ***")
    #expect(secrets.redacting("-abcdefghij-") == "-***-")
    #expect(secrets.redacting("abcdabcd") == "******")
    #expect(secrets.values == ["abcd", "abcdef", "efghij"])
  }

  @Test("Without secrets a text is as it was")
  func none() {
    #expect(SecretStore().redacting("a%20b\\u0041") == "a%20b\\u0041")
  }

  @Test("A long text that nearly matches everywhere is masked in time")
  func longText() {
    let secret = String(repeating: "a", count: 40) + "b"
    let text = String(repeating: "a%61\\u0061", count: 2_000)
    #expect(SecretStore([secret]).redacting(text) == text)
    #expect(SecretStore([secret]).redacting(text + "b").hasSuffix("***"))
  }

  @Test("A value that was put in is masked wherever it stands, however short")
  func masked() {
    var url = Redactable("https://h/?k=")
    #expect(!url.isSecret)
    url += .secret("x")
    #expect(url.text == "https://h/?k=x")
    #expect(url.redacted == "https://h/?k=***")
    #expect(url.isSecret)
  }
}
