import Testing
import Wire

@testable import Fetching

@Suite("How long to wait before the next attempt")
struct RetryStateTests {
  private func reply(_ status: Int, _ fields: KeyValuePairs<String, String> = [:]) -> AttemptErrorCause {
    .status(
      ReplyHead(
        status: status, fields: HTTPFields(fields.map { .init(name: $0.key, value: Redactable($0.value)) }),
        url: Redactable("https://h/")), body: "")
  }

  /// The decisions on the same setback again and again, with the longest waits that jitter gives.
  private func decisions(
    _ cause: AttemptErrorCause, _ policy: RetryPolicy = RetryPolicy(), most: Int = 100
  ) -> [RetryState.Decision] {
    var effort = RetryState(policy)
    var decisions: [RetryState.Decision] = []
    while decisions.count < most {
      let verdict = effort.decision(after: cause, successes: 0, now: 1_700_000_000) { $0 }
      decisions.append(verdict)
      guard case .again = verdict else { break }
    }
    return decisions
  }

  private func waits(_ decisions: [RetryState.Decision]) -> [Duration] {
    decisions.compactMap { if case .again(let time) = $0 { time } else { nil } }
  }

  @Test("five attempts are made, with waits that double")
  func backOff() {
    guard case .status(let page, _, _) = reply(200) else { return }
    for cause in [AttemptErrorCause.passing, .openEnd, .content(page), reply(503), reply(408)] {
      let decisions = decisions(cause)
      #expect(waits(decisions) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
      #expect(decisions.last == .enough)
    }
  }

  @Test("a 429 without a time is bounded by 'total': the waits reach ten seconds soon, and use up no attempt")
  func untimedLimit() {
    let decisions = decisions(reply(429))
    #expect(waits(decisions).prefix(7).map(\.inSeconds) == [0.5, 1, 2, 4, 8, 10, 10])
    #expect(waits(decisions).reduce(.zero, +) == .seconds(600))
    #expect(decisions.last == .enough)
    var short = RetryPolicy()
    (short.total, short.wait) = (.seconds(3), .milliseconds(1))
    // Without luck, a wait is half of its bound.
    var state = RetryState(short)
    var times: [Duration] = []
    while case .again(let time) = state.decision(after: reply(429), successes: 0, now: 0, jitter: { _ in .zero }) {
      times.append(time)
    }
    #expect(times.first == .milliseconds(50) && times.max() == .milliseconds(1_024))
    #expect(times.reduce(.zero, +) == .seconds(3) && state.hasUsedTotal)
  }

  @Test("a time in the body counts where no header has one")
  func askedByBody() {
    guard case .status(let head, let body, _) = reply(429) else { return }
    let cause = AttemptErrorCause.status(head, body: body, asked: .seconds(7))
    #expect(decisions(cause, most: 3) == Array(repeating: .again(after: .seconds(7)), count: 3))
    #expect(decisions(.later(head, asked: .seconds(7)), most: 1) == [.again(after: .seconds(7))])
    guard case .status(let told, _, _) = reply(429, ["Retry-After": "2"]) else { return }
    #expect(decisions(.status(told, body: "", asked: .seconds(7)), most: 1) == [.again(after: .seconds(2))])
  }

  @Test("a 429 without a time uses up no attempt while other requests succeed, but its waits count")
  func busyServer() {
    var state = RetryState(RetryPolicy())
    let busy = (1...100).map { state.decision(after: reply(429), successes: $0, now: 0) { $0 } }
    #expect(busy.allSatisfy { $0 == .again(after: .milliseconds(500)) })
    #expect(state.waited == .seconds(50))
    // Nobody succeeds any more, but did: 25 waits are short, one of which was the first. Then they grow.
    let failed = (1...29).map { _ in state.decision(after: reply(429), successes: 100, now: 0) { $0 } }
    #expect(waits(failed).map(\.inSeconds) == [Double](repeating: 0.5, count: 25) + [1, 2, 4, 8])
    var once = RetryState(.once)
    #expect(once.decision(after: reply(429), successes: 1, now: 0) { $0 } == .enough)
  }

  @Test("25 503s use up no attempt: those of a busy server, and those between which no other request succeeds")
  func overloadedServer() {
    var (trusted, busy, broken) = (InFlightLimit(), InFlightLimit(), InFlightLimit())
    _ = busy.enter(now: .zero)
    busy.refuse(attempt: 1, pause: .seconds(1), now: .zero)
    #expect(busy.most == 1 && trusted.areSecondAttemptsServed)
    broken.refuse(attempt: 2, pause: nil, now: .zero)
    #expect(broken.most == nil && !broken.areSecondAttemptsServed)
    /// Returns the seconds that are waited until the last attempt fails.
    func waited(_ limit: InFlightLimit, most: Int, _ policy: RetryPolicy = RetryPolicy()) -> [Double] {
      var state = RetryState(policy)
      var times: [Double] = []
      while case .again(let time) = state.decision(
        after: reply(503), limit: limit, successes: min(times.count + 1, most), now: 0, jitter: { $0 })
      { times.append(time.inSeconds) }
      return times
    }
    let attempts = [0.5, 1, 2, 4]
    // The waits are longer while nobody succeeds.
    #expect(waited(busy, most: 3) == [0.5, 0.25, 0.25] + [Double](repeating: 0.5, count: 22) + attempts)
    #expect(waited(busy, most: 0) == [Double](repeating: 0.5, count: 25) + attempts)
    #expect(waited(busy, most: 3, .once) == [])
    // Without a limit the first refusal uses up an attempt, and those while others succeed.
    #expect(waited(trusted, most: 1) == [Double](repeating: 0.5, count: 26) + attempts.dropFirst())
    #expect(waited(trusted, most: 2) == [0.5, 1] + [Double](repeating: 0.5, count: 25) + attempts.dropFirst(2))
    #expect(waited(trusted, most: .max) == attempts)
    #expect(waited(trusted, most: 0) == attempts)
    #expect(waited(broken, most: 1) == attempts)
  }

  @Test("an answer that says 'later' is tried again like a 503, whatever its status")
  func later() {
    func later(_ fields: KeyValuePairs<String, String> = [:]) -> AttemptErrorCause {
      guard case .status(let head, _, _) = reply(200, fields) else { return .lasting }
      return .later(head)
    }
    #expect(decisions(later()) == decisions(reply(503)))
    #expect(decisions(later(["Retry-After": "7"]), most: 3) == decisions(reply(503, ["Retry-After": "7"]), most: 3))
    #expect(decisions(later(["Retry-After": "7"]), .once) == [.enough])
  }

  @Test("waits are spread over all of their time, and none is longer than a minute")
  func jitter() {
    var policy = RetryPolicy()
    policy.attempts = 30
    policy.total = .seconds(36_000)
    #expect(waits(decisions(.passing, policy)).max() == .seconds(60))
    let times = (0..<200).map { _ in Retrier.random(upTo: .seconds(1)) }
    #expect(times.allSatisfy { .zero <= $0 && $0 <= .seconds(1) })
    #expect(times.contains { $0 < .milliseconds(250) } && times.contains { $0 > .milliseconds(750) })
  }

  @Test("what would end the same is not tried again")
  func lasting() {
    for cause in [AttemptErrorCause.lasting, .unanswered, reply(404), reply(401), reply(403), reply(501)] {
      #expect(decisions(cause) == [.enough])
    }
    #expect(decisions(reply(503), .once) == [.enough])
    #expect(decisions(.passing, .once) == [.enough])
    var policy = RetryPolicy()
    policy.attempts = 1
    for once in [.once, policy] {
      for status in [429, 503] { #expect(decisions(reply(status, ["Retry-After": "1"]), once) == [.enough]) }
    }
  }

  @Test("a wait that the server asks for is kept to, and uses up no attempt")
  func told() {
    for status in [429, 503, 500] {
      let decisions = decisions(reply(status, ["Retry-After": "7"]), most: 20)
      #expect(decisions == Array(repeating: .again(after: .seconds(7)), count: 20))
    }
  }

  @Test("all waits together are bounded, and one that is too long is not begun")
  func total() {
    let decisions = decisions(reply(429, ["Retry-After": "250"]))
    #expect(decisions == [.again(after: .seconds(250)), .again(after: .seconds(250)), .tooLong(.seconds(250))])
    #expect(self.decisions(reply(503, ["Retry-After": "86400"])) == [.tooLong(.seconds(86_400))])
    var policy = RetryPolicy()
    policy.total = .seconds(500)
    #expect(
      self.decisions(reply(429, ["Retry-After": "250"]), policy) == decisions.prefix(2) + [.tooLong(.seconds(250))])
  }

  @Test("a server that says 0 for ever is asked less and less often, and not for ever")
  func zero() {
    let decisions = decisions(reply(429, ["Retry-After": "0"]))
    #expect(waits(decisions).prefix(3) == [.milliseconds(500), .seconds(1), .seconds(2)])
    #expect(waits(decisions).max() == .seconds(60))
    #expect(decisions.last == .tooLong(.seconds(60)) && decisions.count < 25)
  }

  @Test("reset headers count on 429, and on 403 when nothing remains")
  func limits() {
    let fields: KeyValuePairs = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000030"]
    #expect(decisions(reply(429, fields), most: 1) == [.again(after: .seconds(30))])
    #expect(decisions(reply(403, fields), most: 1) == [.again(after: .seconds(30))])
    #expect(decisions(reply(403, ["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "9"])) == [.enough])
    #expect(decisions(reply(403, ["X-RateLimit-Remaining": "0"]), most: 1) == [.again(after: .milliseconds(500))])
    #expect(decisions(reply(500, fields), most: 1) == [.again(after: .milliseconds(500))])
    #expect(decisions(reply(404, fields)) == [.enough])
    var policy = RetryPolicy()
    policy.statuses = [403]
    #expect(decisions(reply(403, fields), policy) == [.enough])
  }

  @Test(
    "a 403 whose words speak of a limit is a limit, as a 429 is",
    arguments: ["403 Forbidden (Rate Limit Exceeded)\n", #"{"error":{"errors":[{"reason":"userRateLimitExceeded"}]}}"#])
  func limitByWords(body: String) {
    func head(_ status: Int) -> ReplyHead {
      ReplyHead(status: status, fields: HTTPFields(), url: Redactable("https://h/"))
    }
    let waits = decisions(.status(head(403), body: body))
    #expect(waits == decisions(.status(head(429), body: "")))
    #expect(waits.count > 1)
    #expect(decisions(.status(head(403), body: "dailyLimitExceeded")) == [.enough])
    #expect(decisions(.status(head(404), body: body)) == [.enough])
  }

  @Test("a secondary limit, known by its words, is left alone for a minute at least")
  func secondary() throws {
    let head = ReplyHead(status: 403, fields: HTTPFields(), url: Redactable("https://h/"))
    let cause = AttemptErrorCause.status(head, body: "You have exceeded a Secondary Rate Limit.")
    #expect(waits(decisions(cause)) == [.seconds(60), .seconds(120), .seconds(240)])
    let told = HTTPFields([.init(name: "Retry-After", value: Redactable("5"))])
    let other = ReplyHead(status: 403, fields: told, url: Redactable("https://h/"))
    #expect(decisions(.status(other, body: "secondary rate limit"), most: 1) == [.again(after: .seconds(5))])
    #expect(decisions(.status(other, body: "forbidden")) == [.enough])
    let abuse = AttemptErrorCause.status(head, body: "You have triggered an abuse detection mechanism.")
    #expect(decisions(abuse, most: 1) == [.again(after: .seconds(60))])
    let spent = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "300"].map {
      HTTPFields.Field(name: $0.key, value: Redactable($0.value))
    }
    let exhausted = ReplyHead(status: 403, fields: HTTPFields(spent), url: Redactable("https://h/"))
    #expect(decisions(.status(exhausted, body: "secondary rate limit"), most: 1) == [.again(after: .seconds(300))])
  }
}
