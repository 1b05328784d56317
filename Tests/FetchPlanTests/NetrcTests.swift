import Testing

@testable import FetchPlan

@Suite("netrc files")
struct NetrcTests {
  private func login(_ text: String, _ host: String = "h") -> [String?]? {
    Netrc(Array(text.utf8)).login(for: host).map { [$0.user, $0.password] }
  }

  @Test(
    "words are divided by any white space, and may be quoted",
    arguments: [
      "machine h login me password open", "machine\th\r\nlogin\n me\npassword open\n",
      "machine h account x password open login me", #"machine "h" login "me" password "open""#,
      "# machine h login a password b\nmachine h login me password open", "machine h login me password open#",
      "machine H login me password open", "machine a login b password c machine h login me password open",
      "machine h login me password open machine h login x password y", "default login me password open",
      "default login me password open machine h login x password y", "machine h login me password open default login x",
      "machine i login a password b default login me password open machine h login x password y",
      "macdef init\nmachine h login no password no\n\nmachine h login me password open",
      "MACHINE h LOGIN me PASSWORD open", "Default Account x Login me Password open",
      "MacDef init\nmachine h login no password no\n\nmachine h login me password open",
      "unknown words machine h more login me password open",
    ])
  func forms(text: String) {
    let found = login(text)
    #expect(found?[0] == "me" && ["open", "open#"].contains(found?[1]))
  }

  @Test("quoted words hold escapes")
  func escapes() {
    #expect(login(#"machine h login "a \"b\" \\c" password "d\ne\tf""#) == [#"a "b" \c"#, "d\ne\tf"])
  }

  @Test(
    "a quote that its line does not close is a mistake, which is told with its line; what stands before it holds",
    arguments: [#""open"#, #""open\""#, #""open\"#, "\"open\n\"", "\"open\r\n", "\"open\\\n\"", "\""])
  func openQuote(word: String) {
    let file = Netrc(Array("machine h login me password a\nmachine i login me password \(word) machine j login x".utf8))
    #expect(file.mistake == "on line 2 of the file, a quote is not closed")
    #expect(file.login(for: "h")?.isWhole == true)
    #expect(file.login(for: "i")?.password == nil)
    #expect(file.login(for: "j") == nil)
  }

  @Test(
    "a host has no login but its own, or the default",
    arguments: ["", "machine hh login a password b", "login a password b", "machine", "machine a.h login a password b"])
  func nobody(text: String) {
    #expect(login(text) == nil)
  }

  @Test("a password is never that of another entry")
  func halves() {
    #expect(login("machine h login me machine i password open") == ["me", nil])
    #expect(login("machine h password open default login me") == [nil, "open"])
    #expect(login("machine h login") == [nil, nil])
    #expect(login("default login me machine h password open") == ["me", nil])
  }
}
