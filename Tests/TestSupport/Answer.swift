// What the loopback server says to a request: the truth, or one of the faults seen in the wild.

/// An answer of `LoopbackServer`, as the steps that it takes on the connection.
package struct Answer: Sendable {
  package enum Step: Sendable {
    case send([UInt8])
    /// The same bytes again and again, for bodies that should not be held in memory here.
    case sendRepeatedly([UInt8], times: Int)
    /// Stops until the test lets it through.
    case pass(Gate)
    /// Stops until the client closes the connection.
    case untilClosed
    /// This byte, five times a second, until the client closes the connection.
    case trickle(UInt8)
    /// Closes the connection so that the client gets a reset (SO_LINGER 0).
    case reset
  }

  /// The status line and the fields, left out of raw answers.
  ///
  /// All that a HEAD request gets.
  var head: [UInt8]
  /// What comes after the head.
  var steps: [Step]
  /// Whether another request may follow on the connection.
  var keepsAlive = true
  /// Where the answer waits before its first byte.
  var gate: Gate?

  /// The same answer, when the gate lets it through.
  ///
  /// The request has been recorded before.
  package func held(by gate: Gate) -> Answer {
    var held = self
    held.gate = gate
    return held
  }

  /// The same answer, after which the server closes the connection without having said so.
  package func closing() -> Answer {
    var closing = self
    closing.keepsAlive = false
    return closing
  }

  /// The same answer, after which another request may follow on the connection.
  package func stayingOpen() -> Answer {
    var staying = self
    staying.keepsAlive = true
    return staying
  }

  /// Exactly these steps, then the connection is closed: for what has no name here.
  package static func raw(_ steps: [Step]) -> Answer {
    Answer(head: [], steps: steps, keepsAlive: false)
  }

  package static func raw(_ text: String) -> Answer { raw([.send([UInt8](text.utf8))]) }
}

// Answers that are right.
extension Answer {
  package static func json(_ text: String, status: Int = 200, fields: KeyValuePairs<String, String> = [:]) -> Answer {
    bytes([UInt8](text.utf8), type: "application/json", status: status, fields: fields)
  }

  package static func bytes(
    _ body: [UInt8], type: String = "application/octet-stream", status: Int = 200,
    fields: KeyValuePairs<String, String> = [:]
  ) -> Answer {
    sized(body.count, type: type, status: status, fields: fields, [.send(body)])
  }

  /// A status and nothing else, such as 204 or 304.
  package static func status(_ status: Int, fields: KeyValuePairs<String, String> = [:]) -> Answer {
    let own = status == 204 || status == 304 ? [] : ["Content-Length: 0"]
    return Answer(head: makeHead(status, own, fields), steps: [])
  }

  package static func redirect(
    to location: String, status: Int = 302, fields: KeyValuePairs<String, String> = [:]
  ) -> Answer {
    Answer(head: makeHead(status, ["Location: \(location)", "Content-Length: 0"], fields), steps: [])
  }

  /// A body in chunks.
  ///
  /// With a gate, every part waits to be let through.
  package static func chunked(
    _ parts: [String], by gate: Gate? = nil, fields: KeyValuePairs<String, String> = [:]
  ) -> Answer {
    let head = makeHead(200, ["Content-Type: application/json", "Transfer-Encoding: chunked"], fields)
    return Answer(head: head, steps: gated(parts.map(chunk) + ["0\r\n\r\n"], by: gate))
  }

  /// A body of known length in parts, each of which waits to be let through.
  package static func drip(
    _ parts: [String], by gate: Gate, fields: KeyValuePairs<String, String> = [:]
  ) -> Answer {
    let count = parts.reduce(0) { $0 + $1.utf8.count }
    return sized(count, type: "application/json", status: 200, fields: fields, gated(parts, by: gate))
  }

  /// A long body of the same bytes again and again.
  package static func repeating(_ bytes: [UInt8], times: Int) -> Answer {
    let count = bytes.count * times
    let steps: [Step] = [.sendRepeatedly(bytes, times: times)]
    return sized(count, type: "application/octet-stream", status: 200, fields: [:], steps)
  }

  /// A compressed body: `gzip(_:)` of the text.
  package static func gzipped(_ text: String, fields: KeyValuePairs<String, String> = [:]) -> Answer {
    coded(gzip([UInt8](text.utf8)), fields: fields)
  }

  /// A body that says it is gzip, whatever it is.
  package static func coded(_ body: [UInt8], fields: KeyValuePairs<String, String> = [:]) -> Answer {
    let own = ["Content-Type: application/json", "Content-Encoding: gzip", "Content-Length: \(body.count)"]
    return Answer(head: makeHead(200, own, fields), steps: [.send(body)])
  }

  /// A body that ends where the connection does.
  package static func unsized(_ text: String) -> Answer {
    let head = makeHead(200, ["Content-Type: application/json", "Connection: close"], [:])
    return Answer(head: head, steps: [.send([UInt8](text.utf8))], keepsAlive: false)
  }
}

// Answers that are wrong.
extension Answer {
  /// Closes after the request, without a byte.
  package static let empty = Answer.raw([])

  /// Resets the connection after the request, without a byte.
  package static let reset = Answer.raw([.reset])

  /// Says nothing until the client gives up.
  package static let hang = Answer.raw([.untilClosed])

  /// Something that listens on the port and is no web server.
  package static let notHTTP = Answer.raw("220 mail.example.com ESMTP ready\r\n")

  /// Promises `total` bytes, sends these, and closes.
  package static func cut(_ text: String, of total: Int) -> Answer {
    part(text, of: total, then: [])
  }

  /// Promises `total` bytes, sends these, and resets the connection.
  package static func reset(after text: String, of total: Int) -> Answer {
    part(text, of: total, then: [.reset])
  }

  /// Promises `total` bytes, sends these, and says nothing more until the client gives up.
  package static func stall(after text: String, of total: Int) -> Answer {
    part(text, of: total, then: [.untilClosed])
  }

  /// So much of the total, then a blank now and then.
  package static func trickle(after text: String, of total: Int) -> Answer {
    part(text, of: total, then: [.trickle(UInt8(ascii: " "))])
  }

  /// Chunks without the last, empty one.
  package static func cutChunked(_ parts: [String]) -> Answer {
    let head = makeHead(200, ["Content-Type: application/json", "Transfer-Encoding: chunked"], [:])
    return Answer(head: head, steps: gated(parts.map(chunk), by: nil), keepsAlive: false)
  }

  /// Sends this body under another length: shorter than the body, and bytes are left over; longer, and some are missing.
  package static func lying(_ text: String, length: String) -> Answer {
    let head = makeHead(200, ["Content-Type: application/json", "Content-Length: \(length)"], [:])
    return Answer(head: head, steps: [.send([UInt8](text.utf8))], keepsAlive: false)
  }

  /// Two lengths that disagree (RFC 9112 §6.3: an error).
  package static func twoLengths(_ text: String, _ one: Int, _ other: Int) -> Answer {
    let head = makeHead(200, ["Content-Length: \(one)", "Content-Length: \(other)"], [:])
    return Answer(head: head, steps: [.send([UInt8](text.utf8))], keepsAlive: false)
  }

  /// A head of about so many bytes in one field.
  package static func hugeHead(_ count: Int) -> Answer {
    json("[]", fields: ["X-Huge": String(repeating: "h", count: count)]).closing()
  }

  /// A head of about so many bytes in many fields.
  package static func manyLines(_ count: Int) -> Answer {
    let line = "X-Line: \(String(repeating: "x", count: 990))\r\n"
    return raw("HTTP/1.1 200 OK\r\n\(String(repeating: line, count: count / 1_000))\r\n[]")
  }

  private static func part(_ text: String, of total: Int, then: [Step]) -> Answer {
    var answer = sized(
      total, type: "application/json", status: 200, fields: [:], [.send([UInt8](text.utf8))] + then)
    answer.keepsAlive = false
    return answer
  }
}

// How they are put together.
extension Answer {
  private static func sized(
    _ count: Int, type: String, status: Int, fields: KeyValuePairs<String, String>, _ steps: [Step]
  ) -> Answer {
    let own = ["Content-Type: \(type)", "Content-Length: \(count)"]
    return Answer(head: makeHead(status, own, fields), steps: steps)
  }

  private static func makeHead(_ status: Int, _ own: [String], _ fields: KeyValuePairs<String, String>) -> [UInt8] {
    let lines = ["HTTP/1.1 \(status) Status"] + own + fields.map { "\($0.key): \($0.value)" }
    return [UInt8]((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  private static func chunk(_ part: String) -> String {
    String(part.utf8.count, radix: 16) + "\r\n" + part + "\r\n"
  }

  private static func gated(_ parts: [String], by gate: Gate?) -> [Step] {
    parts.flatMap { part -> [Step] in
      let send = Step.send([UInt8](part.utf8))
      return gate.map { [.pass($0), send] } ?? [send]
    }
  }
}
