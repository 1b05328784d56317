// HAR files as browsers save them, and the spellings of one URL.

import Foundation
import Testing
import Wire

@testable import Fetching

@Suite("A browser's HAR")
struct HARBrowserTests {
  /// As Chrome saves it: HTTP/2 fields, `_` members, lines for repeated fields, failures, other schemes.
  private static let chrome = #"""
    {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},
    "pages":[{"startedDateTime":"2024-05-01T10:00:00.900Z","id":"page_1","title":"t","pageTimings":{"onLoad":1.5}}],
    "entries":[
    {"_initiator":{"type":"script"},"_priority":"High","_resourceType":"fetch","cache":{},"connection":"443",
     "request":{"method":"GET","url":"https://api.test/list?q=a+b#top","httpVersion":"h2","headers":[{"name":":authority","value":"api.test"}],
      "queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},
     "response":{"status":200,"statusText":"","httpVersion":"h2","headers":[{"name":":status","value":"200"},
      {"name":"content-encoding","value":"br"},{"name":"content-length","value":"9"},{"name":"content-type","value":"application/json"},
      {"name":"link","value":"<a>; rel=prev\n<b>; rel=next"}],"cookies":[],
      "content":{"size":14,"mimeType":"application/json","text":"{\"ok\":\"\u00e9 \ud83c\udf79\"}"},"redirectURL":"","headersSize":-1,"bodySize":-1,
      "_transferSize":80,"_error":null},
     "startedDateTime":"2024-05-01T10:00:01.250Z","time":12.5,"timings":{"blocked":1,"dns":-1,"send":0.1,"wait":10,"receive":1.4,"ssl":-1}},
    {"request":{"method":"GET","url":"https://api.test/gone","headers":[]},
     "response":{"status":0,"statusText":"","headers":[],"content":{"size":0,"mimeType":"x-unknown"},"_error":"net::ERR_CONNECTION_REFUSED"},
     "startedDateTime":"2024-05-01T10:00:02.000Z"},
    {"request":{"method":"GET","url":"data:text/plain,hi"},"response":{"status":200},"startedDateTime":"2024-05-01T10:00:02.000Z"}
    ]}}
    """#

  /// As Firefox saves it: a byte order mark, base64, a local offset, a body that was too large to keep.
  private static let firefox = #"""
    {"log":{"version":"1.2","creator":{"name":"Firefox","version":"125.0"},"entries":[
    {"pageref":"page_1","startedDateTime":"2024-05-01T12:00:03.000+02:00","request":{"bodySize":0,"method":"get","url":"HTTPS://API.test:443/photo","httpVersion":"HTTP/2"},
     "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/2","headers":[{"name":"Content-Type","value":"image/png"}],
     "content":{"mimeType":"image/png","size":4,"encoding":"base64","text":"iVBORw=="},"redirectURL":""}},
    {"startedDateTime":"2024-05-01T12:00:04.000+02:00","request":{"method":"GET","url":"https://api.test/large"},
     "response":{"status":200,"headers":[],"content":{"mimeType":"application/json","size":99999999,"comment":"too large"}}},
    {"startedDateTime":"2024-05-01T12:00:05.000+02:00","request":{"method":"GET","url":"https://api.test/blocked"},"response":{"status":0,"headers":[],"content":{}}},
    {"startedDateTime":"2024-05-01T12:00:06.000+02:00","request":{"method":"GET","url":"https://api.test/empty"},"response":{"status":204}}
    ]}}
    """#

  @Test("replays when it is Chrome's")
  func chrome() async throws {
    let replay = try ReplayTransport(har: Array(Self.chrome.utf8), name: "chrome.har")
    #expect(replay.start == 1_714_557_600)
    let reply = try await replay.send(get("https://api.test/list?q=a%20b"))
    #expect(reply.head.fields.all.map(\.name) == ["content-type", "link", "link"])
    #expect(reply.head.fields.values(of: "Link") == ["<a>; rel=prev", "<b>; rel=next"])
    #expect(try await reply.body.next() == Array(#"{"ok":"é 🍹"}"#.utf8))
    let gone = await replay.fault(get("https://api.test/gone"))
    #expect(gone?.kind == .other && gone?.problem == "net::ERR_CONNECTION_REFUSED")
  }

  @Test("replays when it is Firefox's")
  func firefox() async throws {
    let replay = try ReplayTransport(har: [0xEF, 0xBB, 0xBF] + Array(Self.firefox.utf8), name: "firefox.har")
    #expect(replay.start == 1_714_557_603)
    #expect(try await replay.body(get("https://api.test/photo")) == [0x89, 0x50, 0x4E, 0x47])
    let large = await replay.fault(get("https://api.test/large"))
    #expect(large?.problem == "'firefox.har' has the answer's head, but not its body; record it again")
    let blocked = await replay.fault(get("https://api.test/blocked"))
    #expect(blocked?.problem == "the request got no answer when 'firefox.har' was recorded; record it again")
    #expect(try await replay.body(get("https://api.test/empty")) == [])
  }

  @Test(
    "means the same request when a URL is only spelled otherwise",
    arguments: [
      ("https://x.test", "HTTPS://X.test:443/"), ("http://x.test:80/a", "http://x.test/a#part"),
      ("https://x.test/a%2db", "https://x.test/a-b"), ("https://x.test/?q=%c3%a9", "https://x.test/?q=é"),
      ("https://x.test/?q=a+b", "https://x.test/?q=a%20b"), ("https://x.test/?q=a b", "https://x.test/?q=a+b"),
      ("https://x.test/?c=Other%20%2F%20Unknown", "https://x.test/?c=Other%20/%20Unknown"),
      ("https://x.test/?k=%2A%2A%2A", "https://x.test/?k=***"), ("https://x.test/?", "https://x.test/"),
      ("https://x.test/a%20b", "https://x.test/a b"),
    ])
  func same(a: String, b: String) {
    #expect(ReplayURL(a) == ReplayURL(b))
  }

  @Test(
    "means another request when the URL means something else",
    arguments: [
      ("https://x.test/", "http://x.test/"), ("https://x.test/", "https://x.test:8443/"),
      ("https://x.test/a", "https://x.test/A"), ("https://x.test/a", "https://x.test/a/"),
      ("https://x.test/a%2Fb", "https://x.test/a/b"), ("https://x.test/?q=a%2Bb", "https://x.test/?q=a+b"),
      ("https://x.test/?q=a%26b", "https://x.test/?q=a&b"), ("https://x.test/?a=1&b=2", "https://x.test/?b=2&a=1"),
      ("https://x.test/a+b", "https://x.test/a%20b"), ("https://x.test/?q=%2520", "https://x.test/?q=%20"),
      ("https://x.test/?q=%25", "https://x.test/?q=%2525"), ("https://x.test/a/b", "https://x.test/a?b"),
    ])
  func different(a: String, b: String) {
    #expect(ReplayURL(a) != ReplayURL(b))
  }

  @Test(
    "is found by a request with *** only where all the rest is the same",
    arguments: [
      ("***", "anything", true), ("***", "", true), ("a***b", "ab", true), ("a***b", "axxb", true),
      ("a***b", "a", false),
      ("aa***aa", "aaa", false), ("a***b***c", "a1b2c", true), ("a***b***c", "a12c", false), ("plain", "plain", true),
      ("plain", "other", false), ("******", "x", true),
    ])
  func masked(pattern: String, text: String, isCovered: Bool) {
    #expect(text.matches(masked: pattern) == isCovered)
  }
}
