import Primitives
import Testing

@Suite("The parts of a URL")
struct URLPartsTests {
  @Test(
    "are those of RFC 3986, appendix B",
    arguments: [
      ("http://h/a?b#c", "http", "h", "/a", "b", "c"), ("//h", nil, "h", "", nil, nil),
      ("https://u:p@[::1]:8080/?", "https", "u:p@[::1]:8080", "/", "", nil),
      ("mailto:a@b", "mailto", nil, "a@b", nil, nil),
      ("a/b:c", nil, nil, "a/b:c", nil, nil), ("?a#b?c", nil, nil, "", "a", "b?c"), ("#?a", nil, nil, "", nil, "?a"),
      (":a", nil, nil, ":a", nil, nil), ("http:/h", "http", nil, "/h", nil, nil), ("", nil, nil, "", nil, nil),
      ("http://h?a/b@c:d", "http", "h", "", "a/b@c:d", nil), ("http:///a", "http", "", "/a", nil, nil),
      ("http://é/ü?ö", "http", "é", "/ü", "ö", nil), ("?#", nil, nil, "", "", ""),
    ] as [(String, String?, String?, String, String?, String?)])
  func parts(url: String, scheme: String?, authority: String?, path: String, query: String?, fragment: String?) {
    let parts = URLParts(url)
    #expect(parts.scheme.map(String.init) == scheme)
    #expect(parts.authority.map(String.init) == authority)
    #expect(parts.path == path)
    #expect(parts.query.map(String.init) == query)
    #expect(parts.fragment.map(String.init) == fragment)
    let text =
      (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + (query.map { "?" + $0 } ?? "")
      + (fragment.map { "#" + $0 } ?? "")
    #expect(text == url)
  }

  @Test(
    "split an authority behind the user, and at the last colon that is not inside of brackets",
    arguments: [
      ("h", nil, "h", nil), ("h:80", nil, "h", "80"), ("h:", nil, "h", ""), ("[::1]", nil, "[::1]", nil),
      ("[::1]:80", nil, "[::1]", "80"), ("127.0.0.1:x@host", "127.0.0.1:x", "host", nil),
      ("a@b@h:1", "a@b", "h", "1"), ("a:b:80", nil, "a:b", "80"), ("", nil, "", nil),
    ] as [(String, String?, String, String?)])
  func authority(text: String, userInfo: String?, host: String, port: String?) {
    let parts = URLParts("http://\(text)/")
    #expect(parts.userInfo.map(String.init) == userInfo)
    #expect(parts.host.map(String.init) == host)
    #expect(parts.port.map(String.init) == port)
  }

  @Test("split a query into items with names and values, as they are spelled, without empty ones")
  func items() {
    let items = URLParts("?a=1&&b&=c&d==%20+").items
    #expect(items.map { String($0.text) } == ["a=1", "b", "=c", "d==%20+"])
    #expect(items.map { String($0.name) } == ["a", "b", "", "d"])
    #expect(items.map { $0.value.map(String.init) } == ["1", nil, "c", "=%20+"])
  }
}
