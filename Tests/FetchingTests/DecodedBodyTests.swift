import CCurl
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("Bodies in their Content-Encoding", .limitedConcurrency, .timeLimit(.minutes(20)))
struct DecodedBodyTests {
  private func outcome(
    _ body: [UInt8], coding: String = "gzip"
  ) async throws -> (text: String?, fault: TransportError?) {
    let fields: KeyValuePairs = ["Content-Encoding": coding]
    let server = try LoopbackServer { _ in .bytes(body, fields: fields) }
    do {
      return (try await CurlTransport().fetch(.get(server.url("/"))).text, nil)
    } catch {
      return (nil, error)
    }
  }

  @Test("a gzip body that is cut anywhere, its trailer too, is cut, whatever its length says")
  func cuts() async throws {
    let whole = gzip([UInt8]("[1,2,3]".utf8))
    for count in 1..<whole.count {
      let (text, fault) = try await outcome(Array(whole.prefix(count)))
      #expect(text == nil && fault?.kind == .cut, "\(count) of \(whole.count)")
      #expect(fault?.problem.contains("the compressed body ends too early") == true)
    }
    #expect(try await outcome(whole).text == "[1,2,3]")
    #expect(try await outcome([]).text == "")
  }

  @Test("several files one behind the other are one body, and padding is none of it")
  func members() async throws {
    let (one, two) = (gzip([UInt8]("[1,".utf8)), gzip([UInt8]("2]".utf8)))
    #expect(try await outcome(one + two).text == "[1,2]")
    #expect(try await outcome(one + two + [0, 0, 0]).text == "[1,2]")
    #expect(try await outcome(one + two.dropLast()).fault?.kind == .cut)
  }

  @Test("what follows a file is another file, padding or damage, however the body is cut into pieces")
  func afterMember() throws {
    let (one, two) = (gzip([UInt8]("[1,".utf8)), gzip([UInt8]("2]".utf8)))
    var damaged = two
    damaged[0] = 0x1E
    let bodies: [(bytes: [UInt8], text: String?)] = [
      (one + two, "[1,2]"), (one + [UInt8](repeating: 0, count: 64) + two, "[1,2]"),
      (one + two + [13, 10], "[1,2]"), (one + damaged, nil), (one + two + [UInt8]("junk".utf8), nil),
      (one + two + [0, 0, 1], nil),
    ]
    for (bytes, text) in bodies {
      for size in [1, 7, one.count, one.count + 1, bytes.count] {
        #expect(try inflated(bytes, inPiecesOf: size) == text)
      }
    }
  }

  /// Returns the text of a body that comes in pieces; nil if it is broken.
  private func inflated(_ body: [UInt8], inPiecesOf size: Int) throws -> String? {
    let inflater = try #require(Inflater())
    var (rest, text) = (body[...], [UInt8]())
    while true {
      switch inflater.next() {
      case .bytes(let bytes): text += bytes
      case .needsInput where rest.isEmpty: return inflater.isWhole ? String(decoding: text, as: UTF8.self) : nil
      case .needsInput:
        inflater.give(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      case .broken, .outOfMemory: return nil
      }
    }
  }

  @Test("a wrong checksum is a fault, after whatever came before it")
  func checksum() async throws {
    var body = gzip([UInt8](repeating: 32, count: 100_000))
    body[body.count - 6] ^= 1
    #expect(try await outcome(body).fault?.problem.contains("not what its Content-Encoding says") == true)
  }

  @Test(
    "names of codings, and those that were not asked for",
    arguments: [("GZIP", true), ("x-gzip", true), ("identity, gzip", true), ("compress", false), ("gzip, gzip", false)])
  func codings(name: String, isKnown: Bool) async throws {
    let (text, fault) = try await outcome(gzip([UInt8]("[1]".utf8)), coding: name)
    #expect(isKnown ? text == "[1]" : fault?.problem.contains("which was not asked for") == true)
  }

  @Test("a zlib stream is deflate, and is cut like gzip")
  func deflate() async throws {
    // Python: zlib.compress(b"[1,2,3]")
    let body: [UInt8] = [
      0x78, 0x9c, 0x8b, 0x36, 0xd4, 0x31, 0xd2, 0x31, 0x8e, 0x05, 0x00, 0x06, 0x95, 0x01, 0xa7,
    ]
    #expect(try await outcome(body, coding: "deflate").text == "[1,2,3]")
    #expect(try await outcome(body.dropLast(), coding: "deflate").fault?.kind == .cut)
  }
}

// zstd and brotli, as far as libcurl has their decoders.

@Suite("Bodies in zstd and brotli", .limitedConcurrency, .timeLimit(.minutes(20)))
struct OtherCodingTests {
  private static let text = Array("[1,2,3]".utf8)
  /// One frame with one stored block (RFC 8878 §3.1.1), and one stored block and the end (RFC 7932 §9.2).
  private static let bodies: [String: [UInt8]] = [
    "zstd": [0x28, 0xB5, 0x2F, 0xFD, 0x20, 7, 0x39, 0, 0] + text, "br": [0x60, 0, 0x10] + text + [3],
  ]

  @Test("a body is decoded, and one that is cut anywhere is an error", arguments: ["zstd", "br"])
  func codings(coding: String) async throws {
    _ = CurlLibrary.system
    guard ccurl_can_decode(coding == "br" ? ccurl_brotli : ccurl_zstd) else { return }
    let body = try #require(Self.bodies[coding])
    #expect(try await outcome(body, coding).text == "[1,2,3]")
    for count in 1..<body.count {
      let (text, fault) = try await outcome(Array(body.prefix(count)), coding)
      #expect(text == nil && fault?.kind == .cut, "\(count) of \(body.count)")
    }
    #expect(
      try await outcome(body + [0x29, 0x29, 0x29, 0x29], coding).fault?.problem.contains("Content-Encoding says")
        == true)
    if coding == "zstd" { #expect(try await outcome(body + body, coding).text == "[1,2,3][1,2,3]") }
  }

  @Test("zstd with a window of 8 MB is decoded, and one with a wider window is told as such")
  func windows() async throws {
    _ = CurlLibrary.system
    guard ccurl_can_decode(ccurl_zstd) else { return }
    // A frame with a window descriptor (RFC 8878 §3.1.1.1.2), and one stored block.
    let frames = [0x68, 0x70].map { [0x28, 0xB5, 0x2F, 0xFD, 0, $0, 0x39, 0, 0] + Self.text }
    #expect(try await outcome(frames[0], "zstd").text == "[1,2,3]")
    let fault = try await outcome(frames[1], "zstd").fault
    #expect(fault?.problem.contains("a window of more than 8 MB") == true)
    #expect(fault?.problem.contains("'Accept-Encoding: gzip'") == true)
  }

  @Test("a request names the codings that can be decoded, and the limit of a body is about decoded bytes")
  func accepted() async throws {
    _ = CurlLibrary.system
    let names = [(ccurl_zstd, "zstd"), (ccurl_brotli, "br"), (ccurl_gzip, "gzip")].filter { ccurl_can_decode($0.0) }
    #expect(Request.get("https://a.example/").acceptedCoding == names.map(\.1).joined(separator: ", "))
    guard ccurl_can_decode(ccurl_zstd) else { return }
    // A block of one byte many times (RFC 8878 §3.1.1.2.2): 128 KB of 'a'.
    let block: [UInt8] = [0x02, 0, 0x10, 0x61]
    let frame = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x58] + Array(repeatElement(block, count: 20).joined()) + [1, 0, 0]
    let server = try LoopbackServer { _ in .bytes(frame, fields: ["Content-Encoding": "zstd"]) }
    var request = Request.get(server.url("/"))
    request.bodyLimit = 1 << 20
    let limited = request
    await #expect(throws: TransportError.self) { try await CurlTransport().fetch(limited) }
  }

  private func outcome(_ body: [UInt8], _ coding: String) async throws -> (text: String?, fault: TransportError?) {
    let server = try LoopbackServer { _ in .bytes(body, fields: ["Content-Encoding": coding]) }
    do {
      return (try await CurlTransport().fetch(.get(server.url("/"))).text, nil)
    } catch {
      return (nil, error)
    }
  }
}
