// A network with a round trip: what goes through this proxy arrives later.

import Dispatch
import Foundation

/// Passes TCP connections on to a port of this machine, and delays every byte in each direction, and the connecting.
final class DelayingProxy: Sendable {
  let port: Int
  private let target: Int
  private let seconds: Double

  /// Listens on a port of its own.
  ///
  /// - Parameter seconds: time in one direction; a round trip takes twice as long.
  init(to target: Int, seconds: Double) throws {
    self.target = target
    self.seconds = seconds
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isListening else { throw Failure(description: "no port to listen on (errno \(errno))") }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        Thread.detachNewThread { [self] in connect(client) }
      }
    }
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  private func connect(_ client: Int32) {
    // The system has answered at once; a server would have been there a round trip later.
    Thread.sleep(forTimeInterval: 2 * seconds)
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.loopback(target)
    let isThere = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isThere else { return _ = (close(client), close(server)) }
    for file in [client, server] {
      var one: Int32 = 1
      setsockopt(file, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }
    let ends = DispatchGroup()
    for (from, to) in [(client, server), (server, client)] {
      let line = DelayLine()
      ends.enter()
      Thread.detachNewThread { [self] in
        line.fill(from: from, delay: seconds)
      }
      Thread.detachNewThread {
        line.drain(to: to)
        ends.leave()
      }
    }
    ends.wait()
    _ = (close(client), close(server))
  }
}

/// Bytes on their way in one direction, with the times when they arrive.
private final class DelayLine: @unchecked Sendable {
  // Sendable because `condition` guards the pieces.
  private let condition = NSCondition()
  private var pieces: [(due: DispatchTime, bytes: [UInt8])] = []

  /// Reads until the end, which is an empty piece.
  func fill(from file: Int32, delay: Double) {
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var count = 0
    repeat {
      count = max(0, read(file, &buffer, buffer.count))
      condition.withLock {
        pieces.append((.now() + delay, Array(buffer.prefix(count))))
        condition.signal()
      }
    } while count > 0
  }

  func drain(to file: Int32) {
    while true {
      let (due, bytes) = condition.withLock {
        while pieces.isEmpty { condition.wait() }
        return pieces.removeFirst()
      }
      let now = DispatchTime.now()
      if due > now { Thread.sleep(forTimeInterval: Double(due.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9) }
      var sent = 0
      while sent < bytes.count {
        let count = send(file, Array(bytes[sent...]), bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { break }
        sent += count
      }
      if bytes.isEmpty || sent < bytes.count {
        _ = (shutdown(file, Int32(SHUT_WR)), sent < bytes.count ? shutdown(file, Int32(SHUT_RDWR)) : 0)
        return
      }
    }
  }
}
