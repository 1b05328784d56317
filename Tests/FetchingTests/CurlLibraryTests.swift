import CCurl
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("Finding libcurl", .limitedConcurrency, .timeLimit(.minutes(20)))
struct CurlLibraryTests {
  @Test("a missing library is named, with the package to install")
  func missing() async {
    let fault = await CurlTransport(libraries: ["libnone.so.4", "libnone-gnutls.so.4"]).fault(
      of: .get("http://localhost/"))
    #expect(fault?.kind == .noLibrary)
    #expect(fault?.problem.hasPrefix("libcurl is not installed (libnone.so.4, libnone-gnutls.so.4); ") == true)
    #if os(Linux)
      #expect(fault?.problem.contains("'apt-get install libcurl4'") == true)
      #expect(fault?.problem.contains("'dnf install libcurl'") == true)
    #endif
  }

  @Test("a library that is too old is named with its version")
  func tooOld() async {
    let curl = CurlTransport(libraries: CurlLibrary.names, floor: 0xff0000)
    let fault = await curl.fault(of: .get("http://localhost/"))
    #expect(fault?.kind == .noLibrary)
    #expect(fault?.problem.contains("older than 7.74; ") == true)
  }

  @Test("a file that is no libcurl counts as missing, and the next name is tried")
  func other() async throws {
    #if os(Linux)
      let other = "libc.so.6"
    #else
      let other = "/usr/lib/libSystem.B.dylib"
    #endif
    #expect(throws: CurlLibrary.Missing.self) { try CurlLibrary(named: [other]) }
    _ = try CurlLibrary(named: ["libnone.so.4", other] + CurlLibrary.names)
  }

  @Test("every name of the library works", arguments: CurlLibrary.names)
  func names(name: String) async throws {
    guard (try? CurlLibrary(named: [name])) != nil else { return }
    let server = try LoopbackServer { _ in .gzipped("[1]") }
    #expect(try await CurlTransport(libraries: [name]).fetch(.get(server.url("/"))).text == "[1]")
  }

  @Test("the work to hand it header fields grows with their number")
  func manyFields() throws {
    let functions = try CurlLibrary.system.get().functions
    let growth = growthByEight(from: 5_000) { count in
      guard let easy = ccurl_easy_new(functions) else { return }
      defer { ccurl_easy_free(easy) }
      for number in 0..<count { ccurl_easy_add_field(easy, "name-\(number): value") }
    }
    #expect(growth < 16)
  }

  @Test("the numbers of the options are the library's own")
  func optionNumbers() throws {
    let functions = try CurlLibrary.system.get().functions
    var index = 0
    while ccurl_used_option_number(index) >= 0 {
      let name = String(cString: ccurl_used_option_name(index))
      // Options that came after 7.74 may be missing.
      let number = ccurl_option_number(functions, name)
      let isNewer = name.hasPrefix("PREREQ") || name == "PROTOCOLS_STR"
      #expect(number == ccurl_used_option_number(index) || (isNewer && number == -1), "\(name)")
      index += 1
    }
    #expect(index > 20)
  }
}
