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
    #expect(CurlProxyProblem(words).proxy(for: Redactable("https://shop.example/coins")) == proxy)
  }

  @Test(
    "an address in another spelling is no proxy",
    arguments: [
      ("http://127.1/", "127.0.0.1 port 80"), ("http://2130706433/", "127.0.0.1 port 80"),
      ("http://[0:0:0:0:0:0:0:1]/", "::1 port 80"),
    ])
  func spelling(url: String, tried: String) {
    #expect(
      CurlProxyProblem("Failed to connect to \(tried) after 0 ms: Connection refused").proxy(for: Redactable(url))
        == nil)
    let other = "Failed to connect to 127.0.0.2 port 80 after 0 ms: Connection refused"
    #expect(CurlProxyProblem(other).proxy(for: Redactable(url)) == "127.0.0.2")
  }

  @Test(
    "a proxy's status is read from the words of libcurl's versions",
    arguments: [
      ("Received HTTP code 407 from proxy after CONNECT", 407), ("CONNECT tunnel failed, response 503", 503),
      ("Proxy CONNECT aborted", nil),
    ] as [(String, Int?)])
  func status(words: String, status: Int?) {
    #expect(CurlProxyProblem(words).proxyStatus == status)
  }

  @Test(
    "a handshake that the connection broke off is told from one that TLS refused",
    arguments: [
      ("Recv failure: Connection reset by peer", true),
      ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", true),
      ("OpenSSL SSL_connect: Connection reset by peer in connection to h:443", true),
      ("TLS connect error: error:0A000126:SSL routines::unexpected eof while reading", true),
      ("TLS connect error: error:00000000:lib(0)::reason(0)", true),
      ("gnutls_handshake() failed: The TLS connection was non-properly terminated.", true),
      ("gnutls_handshake() failed: Error in the pull function.", true),
      ("OpenSSL/3.0.19: error:0A000410:SSL routines::sslv3 alert handshake failure", false),
      ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", false),
      ("error:0A000102:SSL routines::unsupported protocol", false),
    ])
  func brokenOff(words: String, isBrokenOff: Bool) {
    #expect(CurlProxyProblem(words).isBrokenOff == isBrokenOff)
  }

  @Test("a proxy that is not found is named")
  func unresolved() {
    #expect(CurlProxyProblem("Could not resolve proxy: proxy.example").unresolvedProxy == "proxy.example")
    #expect(CurlProxyProblem("Could not resolve host: shop.example").unresolvedProxy == nil)
  }
}
