// One connection of the loopback server: bytes to requests, and steps to bytes.

import Foundation

final class LoopbackConnection {
  let socket: Int32
  private let number: Int
  /// Read, and not yet part of a request.
  private var buffer: [UInt8] = []

  init(socket: Int32, number: Int) {
    self.socket = socket
    self.number = number
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    #if canImport(Darwin)
      setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
    #endif
  }

  /// The next request, or nil when the client has closed, or speaks something else, such as TLS.
  func readRequest() -> SeenRequest? {
    guard let first = read(1)?.first, first < 0x80, first >= 0x20 else { return nil }
    buffer.insert(first, at: 0)
    guard let head = read(through: [13, 10, 13, 10]) else { return nil }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2 else { return nil }
    let fields = lines.dropFirst().compactMap(field)
    let lengths = fields.filter { $0.name.lowercased() == "content-length" }
    guard let body = read(lengths.first.flatMap { Int($0.value) } ?? 0) else { return nil }
    return SeenRequest(
      connection: number, method: String(words[0]), target: String(words[1]), fields: fields, body: body)
  }

  private func field(_ line: String) -> (name: String, value: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    return (String(line[..<colon]), value)
  }

  private func read(through end: [UInt8]) -> [UInt8]? {
    var searched = 0
    while true {
      if let range = buffer[searched...].firstRange(of: end) {
        defer { buffer.removeSubrange(..<range.upperBound) }
        return Array(buffer[..<range.upperBound])
      }
      searched = max(0, buffer.count - end.count)
      guard receive() else { return nil }
    }
  }

  private func read(_ count: Int) -> [UInt8]? {
    while buffer.count < count {
      guard receive() else { return nil }
    }
    defer { buffer.removeSubrange(..<count) }
    return Array(buffer[..<count])
  }

  /// Reads more into the buffer.
  ///
  /// False at the end, or after a reset.
  private func receive() -> Bool {
    let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { bytes, count in
      count = max(0, recv(socket, bytes.baseAddress, bytes.count, 0))
    }
    buffer += chunk
    return !chunk.isEmpty
  }

  /// Takes one step of an answer.
  ///
  /// False when the connection is of no more use.
  func perform(_ step: Answer.Step) -> Bool {
    switch step {
    case .send(let bytes): return send(bytes)
    case .sendRepeatedly(let bytes, let times): return (0..<times).allSatisfy { _ in send(bytes) }
    case .pass(let gate):
      gate.pass()
      return true
    case .trickle(let byte):
      while send([byte]) { Thread.sleep(forTimeInterval: 0.2) }
      return false
    case .untilClosed:
      while receive() { buffer = [] }
      return false
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
      return false
    }
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        // Inside the array: sent < count.
        systemSend(socket, UnsafeRawBufferPointer(rebasing: bytes[sent...]), flags)
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}

// The system's call, under a name that the method above doesn't hide.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
  send(socket, bytes.baseAddress, bytes.count, flags)
}
