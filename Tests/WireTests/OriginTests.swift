// Origins: when two URLs have the same one, and which are nobody else's business.

import Primitives
import Testing

@testable import Wire

@Suite struct OriginTests {
  static let origins: [(url: String, redacted: String?)] = [
    ("https://Example.com/a?b#c", "https://example.com"), ("HTTP://h:80", "http://h"), ("https://h:443/", "https://h"),
    ("https://h:80/", "https://h:80"), ("http://h:8080?x", "http://h:8080"), ("http://[::1]:81/", "http://[::1]:81"),
    ("http://[::1]/", "http://[::1]"), ("http://h:/", "http://h"), ("http://h#f", "http://h"),
    ("ftp://h/", nil), ("h/x", nil), ("", nil), ("http:", nil), ("http:/h", nil), ("http://", nil),
    ("http://u@h/", nil),
    ("http://h:70000/", nil), ("http://é/", nil), ("://h", nil), ("http://[", nil), ("http://]", nil),
    ("http://[]/", nil),
  ]

  @Test("An origin shows its port only where it is not the scheme's own", arguments: origins)
  func redacted(url: String, redacted: String?) {
    #expect(Origin(of: url)?.description == redacted)
  }

  @Test("Spelling out the scheme's own port does not make another origin")
  func equality() {
    #expect(Origin(of: "https://a/x") == Origin(of: "HTTPS://A:443"))
    #expect(Origin(of: "https://a/") != Origin(of: "http://a/"))
    #expect(Origin(of: "https://a/") != Origin(of: "https://a:444/"))
    #expect(Origin(of: "https://a/") != Origin(of: "https://a./"))
  }

  @Test(
    "a socket is an origin of its own, of this machine",
    arguments: [
      ("/var/run/docker.sock", "_var_run_docker.sock.unix"), ("/a", "_a.unix"), ("/A b/_c", "___41__20b___5fc.unix"),
      ("/run/user/1000/é.sock", "_run_user_1000___c3__a9.sock.unix"),
    ])
  func sockets(path: String, host: String) throws {
    #expect(UnixSocket.host(of: path) == host)
    #expect(UnixSocket.path(ofHost: host) == path)
    let origin = try #require(Origin(of: "http://\(host)/v1/x"))
    #expect(origin.isPrivate && origin.isLoopback && origin.host == host)
    #expect(resolve("../y?z", against: "http://\(host)/v1/x") == "http://\(host)/y?z")
  }

  @Test(
    "other paths and hosts are none of a socket",
    arguments: ["", "a", "/", "/a/", "//a", "/" + String(repeating: "a", count: 107)])
  func noSockets(path: String) {
    #expect(UnixSocket.host(of: path) == nil)
    #expect(UnixSocket.path(ofHost: path) == nil && UnixSocket.path(ofHost: "var_run.unix") == nil)
  }

  static let inside = [
    "localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost.", "127.0.0.1", "127.0.0.1.", "127.1",
    "127.0.1",
    "2130706433", "0x7f000001", "0X7F.1", "017700000001", "0177.0.0.1", "127.255.255.254", "0", "0.0.0.0", "0.1.2.3",
    "10.0.0.1", "10.255.255.255", "0xa.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.257",
    "169.254.169.254",
    "0xa9fea9fe", "100.64.0.1", "100.127.255.255", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[fc00::1]", "[fdff::]",
    "[FE80::1]", "[febf::1]", "[fec0::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:c0a8:1]", "[::127.0.0.1]", "[64:ff9b::10.0.0.1]", "[2002:7f00:1::]",
    // Both ends of what the IANA sets aside for benchmarking, protocols, documentation and the future.
    "198.18.0.0", "198.19.255.255", "0xc6120001", "192.0.0.0", "192.0.0.255", "192.0.2.1", "198.51.100.255",
    "203.0.113.0", "240.0.0.1", "255.255.255.255", "[::ffff:198.18.0.1]", "[64:ff9b::198.19.0.1]", "[2002:c612:1::1]",
    "[::ffff:192.0.0.1]", "[2002:c000:8::]", "[64:ff9b:1::]", "[64:ff9b:1:ffff:ffff:ffff:808:808]", "[100::]",
    "[100::ffff:ffff:ffff:ffff]", "[100:0:0:1::1]", "[2001::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2001:2::1]",
    "[2001:1ff:ffff::]", "[2001:db8::1]", "[2001:db8:ffff::]", "[3fff::1]", "[3fff:fff:ffff::]", "[5f00::1]",
    "[5f00:ffff::]", "[feff::1]", "[febf:ffff::]",
  ]

  @Test("Loopback, private and link-local hosts, however they are spelled", arguments: inside)
  func isPrivate(host: String) {
    #expect(Origin(scheme: "http", host: host, port: 80).isPrivate)
  }

  static let outside = [
    "example.com", "localhost.example.com", "notlocalhost", "127.0.0.1.example.com", "1.1.1.1", "8.8.8.8",
    "126.255.255.255",
    "128.0.0.1", "11.0.0.1", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "169.253.0.1",
    "100.63.255.255",
    "100.128.0.0", "0x08080808", "134744072", "256.0.0.1", "127.0.0.0.1", "4294967296", "127.-1", "+127.1", "0x-1",
    "0x+1", "089", "99999999999999999999999",
    "", ".", "..", "1..1", "[::ffff:8.8.8.8]", "[2001:4860::8888]", "[64:ff9b::8.8.8.8]", "[2002:808:808::]", "[::1",
    "[]",
    "[1:2:3:4:5:6:7:8:9]", "[::1::]", "[12345::]", "[::127.0.0.1:1]", "10", "dead.beef",
    // The neighbours of what is set aside.
    "198.17.255.255", "198.20.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "198.51.99.255", "198.51.101.0",
    "203.0.112.255", "203.0.114.0", "239.255.255.255", "[::ffff:198.20.0.1]", "[64:ff9b::198.20.0.1]",
    "[2002:c614:1::1]",
    "[64:ff9b:2::]", "[100:0:0:2::1]", "[2001:200::1]", "[2001:db7:ffff::]", "[2001:db9::1]", "[3fff:1000::1]",
    "[3ffe:ffff::]", "[5eff:ffff::]", "[5f01::]", "[ff00::1]",
  ]

  @Test("Public addresses, names and what is neither", arguments: outside.filter { $0 != "10" })
  func isPublic(host: String) {
    #expect(!Origin(scheme: "http", host: host, port: 80).isPrivate)
  }
}
