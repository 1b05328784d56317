import Testing
import Wire

@testable import Fetching

@Suite("What a response says about when to ask again")
struct LimitSignsTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private static let date = 784_111_777.0

  private func signs(_ fields: [String], status: Int = 429, now: Double = date) -> LimitSigns {
    let fields = fields.map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return HTTPFields.Field(name: String(parts[0]), value: Redactable(parts[1].trimmingPrefix(" ").description))
    }
    return LimitSigns(
      ReplyHead(status: status, fields: HTTPFields(fields), url: Redactable("https://h/")), now: now)
  }

  @Test(
    "a refusal's other headers with a time are read, in each of their forms",
    arguments: [
      ("X-Retry-After: 7", 7.0), ("Retry-After-Ms: 1500", 1.5), ("x-ms-retry-after-ms: 250", 0.25),
      ("X-Rate-Limit-Retry-After-Seconds: 9", 9), ("X-RateLimit-Retry-After: 1700000004", 4),
      ("X-RateLimit-Reset-After: 2.5", 2.5), ("RateLimit-Reset-After: 3", 3), ("X-RateLimit-Reset-Ms: 500", 0.5),
      ("x-ratelimit-reset-requests: 1m30s", 90), ("x-ratelimit-reset-tokens: 125ms", 0.125),
      ("x-ratelimit-reset-input-tokens: 2s", 2),
      ("X-RateLimit-Reset: 6m0s", 360), ("RateLimit-Reset: Tue, 14 Nov 2023 22:13:50 GMT", 30),
      ("anthropic-ratelimit-tokens-reset: 2023-11-14T22:13:25Z", 5), ("X-RateLimit-Reset-Time: 1700000006000", 6),
      ("Shop-Rate-Limit-Reset-At: 1700000008", 8), ("X-Rate-Limit-Reset-In: 4", 4),
    ])
  func vendors(field: String, seconds: Double) {
    #expect(signs([field], now: 1_700_000_000).wait(isLimit: true) == .seconds(seconds))
    #expect(signs([field], status: 200, now: 1_700_000_000).pause == nil)
  }

  @Test("of several limits with names of their own, those of which nothing remains count")
  func namedLimits() {
    let fields = [
      "x-ratelimit-remaining-requests: 59", "x-ratelimit-reset-requests: 1s", "x-ratelimit-remaining-tokens: 0",
      "x-ratelimit-reset-tokens: 6m0s",
    ]
    #expect(signs(fields).wait(isLimit: true) == .seconds(360))
    #expect(signs(fields + ["Retry-After: 2"]).wait(isLimit: true) == .seconds(2))
    #expect(signs(["a-ratelimit-b-remaining: 0", "a-ratelimit-b-reset: 5"]).pause == .seconds(5))
  }

  @Test("what is no time says nothing", arguments: ["soon", "", "1x", "ms", "-1s", "1m30", "1.2.3s", "m30s"])
  func noTime(text: String) {
    #expect(signs(["X-Retry-After: \(text) ", "x-ratelimit-reset-requests: \(text) "]).wait(isLimit: true) == nil)
  }

  @Test(
    "Retry-After: seconds, and dates in their three forms",
    arguments: [
      ("0", 0.0), ("120", 120), ("1.5", 1.5), ("Sun, 06 Nov 1994 08:50:07 GMT", 30),
      ("Sunday, 06-Nov-94 08:50:07 GMT", 30), ("Sun Nov  6 08:50:07 1994", 30),
      ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("99999999999999999999999", 1e10),
    ])
  func retryAfter(text: String, seconds: Double) {
    #expect(signs(["Retry-After: \(text)"]).retryAfter == .seconds(seconds))
  }

  @Test(
    "what is no Retry-After says nothing", arguments: ["", "-1", "+1", "1s", "1e3", "soon", "²", "1, 2", "0x10"])
  func noRetryAfter(text: String) {
    #expect(signs(["Retry-After: \(text) "]).retryAfter == nil)
  }

  @Test("times are counted from the response's own Date, whatever our clock says")
  func date() {
    let fields = [
      "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:49:47 GMT", "X-RateLimit-Remaining: 0",
      "X-RateLimit-Reset: 784111782",
    ]
    let signs = signs(fields, now: 2e9)
    #expect(signs.retryAfter == .seconds(10))
    let reset = ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1994-11-06T08:49:42.500000Z"]
    #expect(self.signs(fields.prefix(1) + reset, now: 2e9).exhaustedFor == .seconds(5.5))
    // An epoch of less than a billion seconds is older than any server: it counts as seconds from now.
    #expect(self.signs(["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 5"]).exhaustedFor == .seconds(5))
  }

  @Test(
    "when a limit of which nothing remains begins anew",
    arguments: [
      (["RateLimit: \"default\";r=0;t=30"], 30),
      (["RateLimit: \"burst\";r=0;t=3, \"daily\";r=0;t=60, \"other\";r=5;t=999"], 60),
      (["RateLimit: \"a, b; c\" ; r=0 ; t=30"], 30),
      (["RateLimit: \"burst\";r=0", "RateLimit-Policy: \"day\";q=9;w=86400, \"burst\";q=100;w=60"], 60),
      (["RateLimit: limit=100, remaining=0, reset=50"], 50),
      (["RateLimit-Limit: 100", "RateLimit-Remaining: 0", "RateLimit-Reset: 50"], 50),
      (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 7"], 7),
      (["x-rate-limit-remaining: 0", "x-rate-limit-reset: 1700000030"], 30),
      (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1700000030"], 30),
      (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1700000030500"], 31),
      (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1600000000"], 0),
      (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 2023-11-14T22:13:50.000000Z"], 30),
      (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 2023-11-14T22:00:00Z"], 0),
      (["RateLimit-Remaining: 0", "RateLimit-Reset: 2023-11-14T23:13:27+01:00"], 7),
    ])
  func exhausted(fields: [String], seconds: Int) {
    let signs = signs(fields, now: 1_700_000_000)
    #expect(signs.isExhausted)
    #expect(signs.exhaustedFor.map { Int($0.inSeconds.rounded()) } == seconds)
    #expect(signs.wait(isLimit: true) == signs.exhaustedFor)
    #expect(signs.wait(isLimit: false) == nil)
  }

  @Test(
    "nothing is exhausted, or until nobody knows when",
    arguments: [
      ["RateLimit: \"default\";r=50;t=30"], ["X-RateLimit-Remaining: 3", "X-RateLimit-Reset: 7"],
      ["X-RateLimit-Remaining: 0"], ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: soon"], ["RateLimit: \"a;r=0"],
      ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 2023-11-14T22:13:50"],
      ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 2023-11-14"],
      ["RateLimit: ;;,,="], ["X-RateLimit-Remaining: none", "X-RateLimit-Reset: 7"], ["X-Ray: 0"],
    ])
  func notExhausted(fields: [String]) {
    #expect(signs(fields).exhaustedFor == nil)
  }

  @Test("at a limit that does not say what remains, its reset counts; where something remains, a minute is enough")
  func otherReset() {
    #expect(signs(["X-RateLimit-Reset: 90"]).wait(isLimit: true) == .seconds(90))
    #expect(signs(["RateLimit-Reset: 90", "X-RateLimit-Reset: 3000"]).wait(isLimit: true) == .seconds(90))
    #expect(signs(["RateLimit-Reset: 3000", "X-RateLimit-Reset: 90"]).wait(isLimit: true) == .seconds(90))
    #expect(signs(["X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 3000"]).wait(isLimit: true) == .seconds(60))
    #expect(signs(["X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 30"]).wait(isLimit: true) == .seconds(30))
  }

  @Test(
    "a negative count says nothing, and least of all that nothing remains",
    arguments: ["X-RateLimit-Remaining: -1", "RateLimit-Remaining: -1", "RateLimit: limit=-1, remaining=-1"])
  func negative(field: String) {
    let signs = signs([field, "X-RateLimit-Reset: 3000"])
    #expect(signs.pause == nil)
    #expect(!signs.isExhausted)
    #expect(signs.wait(isLimit: true) == .seconds(3000))
  }

  @Test("Retry-After comes before all of them, after any status")
  func precedence() {
    let signs = signs(["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 90", "Retry-After: 2"])
    #expect(signs.wait(isLimit: true) == .seconds(2))
    #expect(signs.wait(isLimit: false) == .seconds(2))
    #expect(signs.pause == .seconds(2))
    #expect(self.signs(["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 90"]).pause == .seconds(90))
    #expect(self.signs(["X-RateLimit-Remaining: 1", "Retry-After: 2"]).pause == nil)
  }
}
