// References against base URLs: the RFC's own examples, and what servers and people really write.

import Testing

@testable import Wire

@Suite struct ResolveTests {
  /// RFC 3986 §5.4.1 and §5.4.2, without fragments; `g:h` and `http:g` are no URLs that can be fetched.
  static let examples: [(reference: String, target: String?)] = [
    ("g:h", nil), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
    (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
    ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"), ("http:g", nil),
  ]

  @Test("The RFC's examples resolve as it says", arguments: examples)
  func rfc(reference: String, target: String?) {
    #expect(resolve(reference, against: "http://a/b/c/d;p?q") == target)
  }

  static let found: [(reference: String, base: String?, target: String?)] = [
    // Nothing is encoded twice, and everything once.
    ("x%20y?q=a b&f[]={é}|\"", "https://h/v1/", "https://h/v1/x%20y?q=a%20b&f[]={%C3%A9}|%22"),
    ("100%?a=%zz&b=%4", "https://h/", "https://h/100%25?a=%zz&b=%4"),
    ("?page[number]=2&x=%5B%20%5D", "https://h/a[1]", "https://h/a%5B1%5D?page[number]=2&x=%5B%20%5D"),
    ("a\\b\r\nHost: x", "http://h/", nil), ("./a\\b\r\nHost: x\u{0}", "http://h/", "http://h/a%5Cb%0D%0AHost:%20x%00"),
    ("http://h/%7euser%2f", nil, "http://h/%7euser%2f"),
    // Scheme and host do not depend on case, and an empty path is `/`.
    ("HTTPS://Example.COM", nil, "https://example.com/"), ("http://h?x", nil, "http://h/?x"),
    ("http://h:/x", nil, "http://h/x"), ("http://h:0080/x", nil, "http://h:80/x"),
    ("x", "http://h", "http://h/x"), ("?y", "http://h", "http://h/?y"), ("", "http://h", "http://h/"),
    ("", "http://h/a?b#c", "http://h/a?b"), ("http://h/a/../b/./c", nil, "http://h/b/c"),
    ("http://h//a/../b", nil, "http://h//b"), ("/a//b", "http://h/x", "http://h/a//b"),
    ("http://[::1]:8080/x[1]", nil, "http://[::1]:8080/x%5B1%5D"),
    ("//[2001:DB8::1]/x", "http://h/", "http://[2001:db8::1]/x"),
    ("https://other/x?y#z", "http://h/a/", "https://other/x?y"),
    (
      "/services/data/v59.0/query/01g-2000", "https://s/services/data/v59.0/query?q=S",
      "https://s/services/data/v59.0/query/01g-2000"
    ),
    // Dot segments, however their dots are spelled; not other segments, hosts or queries.
    (".%2e/g", "http://h/a/b/c", "http://h/a/g"), ("%2E./g", "http://h/a/b/c", "http://h/a/g"),
    ("%2e%2E/g", "http://h/a/b/c", "http://h/a/g"), ("%2e/g", "http://h/a/b/c", "http://h/a/b/g"),
    ("g/.%2e", "http://h/a/b/c", "http://h/a/b/"), ("http://h/a/.%2e/.%2e/.%2e/g", nil, "http://h/g"),
    ("g", "http://h/a/%2e%2e/b/c", "http://h/b/g"), ("a%2e%2e/g", "http://h/", "http://h/a%2e%2e/g"),
    ("%252e%252e/g", "http://h/a/b", "http://h/a/%252e%252e/g"), ("g?%2e%2e/x", "http://h/a/", "http://h/a/g?%2e%2e/x"),
    (".%2e%2fg", "http://h/a/b", "http://h/a/.%2e%2fg"), ("//%2e%2e/g", "http://h/", nil),
    // Not to be fetched.
    ("g", nil, nil), ("", nil, nil), ("/x", nil, nil), ("x", "a/b", nil), ("x", "ftp://h/", nil),
    ("x", "mailto:a", nil),
    ("ftp://h/x", "http://h/", nil), ("file:///etc/passwd", "http://h/", nil),
    ("javascript:alert(1)", "http://h/", nil),
    ("http://", nil, nil), ("http:///x", nil, nil), ("///x", "http://h/", nil), ("http://:80/", nil, nil),
    ("http://h:0/", nil, nil), ("http://h:65536/", nil, nil), ("http://h:8a/", nil, nil),
    ("http://h:99999999999999999999/", nil, nil), ("http://[::1/", nil, nil), ("http://[h]/", nil, nil),
    ("http://[::1]x/", nil, nil),
    // A secret in the open.
    ("https://user:pass@h/x", nil, nil), ("//user@h/x", "http://h/", nil), ("x", "http://u:p@h/", nil),
    // Hosts that whoever connects might read in another way.
    ("http://b\u{FC}cher.example/", nil, nil), ("http://%6cocalhost/", nil, nil), ("http://h\\@evil/", nil, nil),
    ("http://a b/", nil, nil), ("http://evil\u{3002}example/", nil, nil), ("http:\\\\evil/x", "http://h/", nil),
    ("http://[fe80::1%25eth0]/", nil, nil),
  ]

  @Test("References as servers and people write them", arguments: found)
  func wild(reference: String, base: String?, target: String?) {
    #expect(resolve(reference, against: base) == target)
  }

  @Test("What was resolved once stays the same", arguments: found.compactMap(\.target))
  func isStable(url: String) {
    #expect(resolve(url, against: nil) == url)
    #expect(resolve(url, against: "http://elsewhere/") == url)
  }

  @Test("Values are percent-encoded byte for byte, all but unreserved characters")
  func values() {
    #expect("AZaz09-._~".percentEncoded == "AZaz09-._~")
    #expect(
      "a b/?#[]@!$&'()*+,;=:%\"é\n".percentEncoded
        == "a%20b%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%25%22%C3%A9%0A")
    #expect("".percentEncoded.isEmpty)
    #expect("a%5b%5D%C3%A9%2%zz%".percentDecoded == Array("a[]é%2%zz%".utf8))
  }

  @Test("URLs in normal form, or nearly, are what Foundation makes of them")
  func normal() {
    let pieces = ["a", "B", "-", ".", "_", "~", ":", "/", "//", "/.", "..", "1", ":80", "%41", "é", "[", "@", " "]
    for number in 0..<2000 {
      let scheme = ["http://", "https://", "HTTP://", "http:"][number % 4]
      let path = scheme + "h" + (0..<number % 6).map { _ in pieces.randomElement() ?? "" }.joined() + "/"
      let query = ["", "?", "?a=/../b", "?é"].randomElement() ?? ""
      // The dot segment is nothing, and keeps the shortcut away.
      #expect(resolve(path + query, against: nil) == resolve(path + "./" + query, against: nil), "\(path)\(query)")
    }
  }
}
