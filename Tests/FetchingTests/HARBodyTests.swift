// Bodies and secrets on their way into a recording.

import Foundation
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("A recorded body")
struct HARBodyTests {
  private static let canary = "s3cr3t/canary+value"

  @Test("is text when it is UTF-8, wherever it was cut")
  func text() async throws {
    let text = "{\"name\":\"Smörgås 🍹\\u0000\",\"n\":1.50}\r\n\u{2028}\u{7f}"
    let recording = try Recording([StubAnswer(pieces: text.utf8.map { [$0] })])
    _ = try await recording.transport.body(get("https://x.test/"))
    let entry = try #require(try recording.entries().first)
    #expect(entry.at("response.content.text") == text)
    #expect(entry.at("response.content.encoding") == "nothing")
    #expect(entry.at("response.content.size") == "\(text.utf8.count)")
  }

  @Test(
    "is base64 when it is not UTF-8",
    arguments: [[0xFF, 0xD8, 0, 1], [0x61, 0xC3], [0xF0, 0x9F, 0x8D], [0xED, 0xA0, 0x80], [0x80]] as [[UInt8]])
  func base64(bytes: [UInt8]) async throws {
    let recording = try Recording([StubAnswer(pieces: bytes.map { [$0] })])
    _ = try await recording.transport.body(get("https://x.test/"))
    let entry = try #require(try recording.entries().first)
    #expect(entry.at("response.content.text") == Data(bytes).base64EncodedString())
    #expect(entry.at("response.content.encoding") == "base64")
  }

  @Test("and everything else is without secrets")
  func secrets() async throws {
    let recording = try Recording(
      [
        StubAnswer(
          fields: [
            ("Set-Cookie", "session=abcdef"), ("Link", "<https://x.test/?api_key=\(Self.canary)&page=2>; rel=next"),
          ],
          pieces: Array(#"{"you":"sent \#(Self.canary)","next":"s3cr3t%2Fcanary%2Bvalue"}"#.utf8).map { [$0] })
      ], secrets: [Self.canary])
    var request = Request(
      method: "POST",
      url: Redactable("https://x.test/?api_key=s3cr3t%2Fcanary%2Bvalue", redacted: "https://x.test/?api_key=***"),
      body: .init(bytes: Array(#"{"k":"s3cr3t/canary+value"}"#.utf8), redacted: #"{"k":"***"}"#))
    request.fields.append("Authorization", "Basic literal")
    request.fields.append("X-Api-Key", .secret(Self.canary))
    _ = try await recording.transport.body(request)
    let file = String(decoding: try recording.bytes(), as: UTF8.self)
    for hidden in ["canary", "abcdef", "literal"] { #expect(!file.contains(hidden)) }
    let har = try JSONSerialization.jsonObject(with: Data(file.utf8)) as? [String: Any] ?? [:]
    #expect(har.at("log.entries.0.request.url") == "https://x.test/?api_key=***")
    #expect(har.at("log.entries.0.request.postData.text") == #"{"k":"***"}"#)
    #expect(har.at("log.entries.0.response.content.text") == #"{"you":"sent ***","next":"***"}"#)
    #expect(har.at("log.entries.0.response.headers.1.value") == "<https://x.test/?api_key=***&page=2>; rel=next")
  }

  @Test("is masked alike however large it is and wherever it was cut", arguments: [1, 500, 7_001])
  func large(piece: Int) {
    let secrets = SecretStore([Self.canary, "canary"])
    let twice = Self.canary.percentEncoded.percentEncoded
    let state = Data("{\"k\":\"\(twice)\"}".utf8).base64EncodedString()
    let words = ["é", "🍹", "plain", Self.canary, "s3cr3t/", "\n", "canary", "\"q\"", twice, "&\(state)&"]
    let text = (0..<2_000).map { words[($0 &* 7 + $0 / 11) % words.count] }.joined()
    let bytes = Array(text.utf8)
    var filter = SecretFilter(secrets: secrets, isText: true, window: 1_000)
    var masked: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: piece) {
      masked += filter.append(Array(bytes[start..<min(start + piece, bytes.count)]))
    }
    masked += filter.finish()
    #expect(masked == Array(secrets.redacting(text).utf8))
    #expect(!String(decoding: masked, as: UTF8.self).contains(state.prefix(24)))
  }

  @Test("that broke off in a secret does not show the secret's beginning; one that ends there is as it was")
  func cut() async throws {
    let start = #"{"next":"canary/abc"#
    var broken = StubAnswer.text(start)
    broken.fault = TransportError(.other, url: Redactable("https://x.test/"), problem: "the connection ended")
    for (answer, redacted) in [(broken, #"{"next":"***"#), (.text(start), start)] {
      let recording = try Recording([answer], secrets: ["canary/abcdef"])
      _ = try? await recording.transport.body(get("https://x.test/"))
      #expect(try recording.log().at("entries.0.response.content.text") == redacted)
    }
  }

  @Test("that is no text is masked too")
  func binary() {
    var filter = SecretFilter(secrets: SecretStore([Self.canary]), isText: false)
    let masked = filter.append([0xFF] + Array(Self.canary.utf8) + [0xFE]) + filter.finish()
    #expect(masked == [0xFF] + Array("***".utf8) + [0xFE])
    let broken = filter.append([0xFF] + Array(Self.canary.utf8.dropLast())) + filter.finish(isCut: true)
    #expect(broken == [0xFF] + Array("***".utf8))
  }
}

@Suite("A time in a HAR")
struct HARTimeTests {
  @Test(
    "is written with milliseconds",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_709_210_096.789, "2024-02-29T12:34:56.789Z"),
      (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
      (253_402_300_799, "9999-12-31T23:59:59.000Z"), (-62_167_219_200, "0001-01-01T00:00:00.000Z"),
      (1e300, "9999-12-31T23:59:59.000Z"),
    ])
  func written(seconds: Double, text: String) {
    #expect(HARTime.text(of: seconds) == text)
  }

  @Test(
    "is read as browsers write it",
    arguments: [
      ("2024-02-29T12:34:56.789Z", 1_709_210_096.789), ("2024-02-29T12:34:56Z", 1_709_210_096),
      ("2024-02-29T14:34:56.5+02:00", 1_709_210_096.5), ("2024-02-29T07:04:56-0530", 1_709_210_096),
      ("2024-02-29T12:34:56.123456789Z", 1_709_210_096.123456789), ("2024-02-29 12:34:56Z", nil),
      ("2024-02-29T12:34:56", nil), ("2024-13-01T00:00:00Z", nil), ("", nil), ("2024", nil),
      ("2024-02-29T12:34:56Z and more", nil), ("2023-12-31T23:59:60Z", 1_704_067_200),
      ("2024-02-29T23:34:56+23:59", 1_709_163_356), ("2024-12-31T00:00:00Z", 1_735_603_200),
      // A day or a time that there is not.
      ("2024-02-29T99:00:00Z", nil), ("2024-02-29T24:00:00Z", nil), ("2024-02-29T12:60:00Z", nil),
      ("2024-02-29T12:00:61Z", nil), ("2024-00-10T00:00:00Z", nil), ("2024-01-00T00:00:00Z", nil),
      ("2024-01-32T00:00:00Z", nil), ("2023-02-29T00:00:00Z", nil), ("1900-02-29T00:00:00Z", nil),
      ("2024-02-30T00:00:00Z", nil), ("2024-04-31T00:00:00Z", nil), ("2024-02-29T12:00:00+24:00", nil),
      ("2024-02-29T12:00:00-00:60", nil), ("2024-02-29T12:00:00+9900", nil),
    ])
  func read(text: String, seconds: Double?) {
    guard let seconds else {
      #expect(HARTime.seconds(of: text) == nil)
      return
    }
    #expect(abs((HARTime.seconds(of: text) ?? .infinity) - seconds) < 1e-6)
  }

  @Test("is none on a day that there is not", arguments: DateCase.all)
  func onlyDaysThereAre(date: DateCase) {
    #expect((HARTime.seconds(of: date.text) != nil) == date.isTime)
  }

  @Test("comes back as it was written", arguments: [-6e10, -5e9 - 0.877, -1, 0.001, 1_234_567.891, 4e9 + 0.999, 2e11])
  func roundTrip(seconds: Double) {
    #expect(abs((HARTime.seconds(of: HARTime.text(of: seconds)) ?? .infinity) - seconds) < 0.001)
  }
}
