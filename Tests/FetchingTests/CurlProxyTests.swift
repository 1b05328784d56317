import Testing
import Wire

@testable import Fetching

@Suite("Which proxy libcurl's words name")
struct CurlProxyTests {
  @Test(
    "a proxy is named by whom libcurl tried in place of the URL's host, in the words of its versions",
    arguments: [
      ("Failed to connect to 10.0.0.1 port 3128 after 0 ms: Couldn't connect to server", "10.0.0.1:3128"),
      ("Failed to connect to ::1 port 3128 after 0 ms: Connection refused", "[::1]:3128"),
      ("Failed to connect to shop.example port 3128 after 0 ms: Connection refused", "shop.example:3128"),
      ("Failed to connect to proxy.example port 443 after 0 ms: Connection refused", "proxy.example"),
      ("Failed to connect to shop.example port 443 via proxy.example after 9 ms: Could not connect", "proxy.example"),
      ("Failed to connect to shop.example port 443 after 0 ms: Couldn't connect to server", nil),
      ("Failed to connect to Shop.example. port 443 after 0 ms: Couldn't connect to server", nil),
      ("Failed to connect to shop.example port 0 after 0 ms: Couldn't connect to server", nil),
      ("Connection timed out after 10001 milliseconds", nil),
      ("", nil),
    ] as [(String, String?)])
  func proxy(words: String, proxy: String?) {
    #expect(CurlWords(words).proxy(for: Masked("https://shop.example/coins")) == proxy)
  }

  @Test("a proxy that is not found is named")
  func unresolved() {
    #expect(CurlWords("Could not resolve proxy: proxy.example").unresolvedProxy == "proxy.example")
    #expect(CurlWords("Could not resolve host: shop.example").unresolvedProxy == nil)
  }
}
