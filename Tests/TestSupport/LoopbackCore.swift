// The threads behind LoopbackServer: one that accepts, and one a connection.

import Foundation

/// What a loopback server has seen.
struct LoopbackLog: Sendable {
  var requests: [SeenRequest] = []
  var accepted = 0
  var closed = 0
  var inFlight = 0
  var mostInFlight = 0
  var isStopped = false
  /// Sockets that are open.
  ///
  /// One is closed only by its own thread, after it was taken out of here: so a number in here never is somebody
  /// else's.
  var sockets: Set<Int32> = []
}

struct LoopbackFailure: Error {
  let call: String
  let code: Int32
}

final class LoopbackCore: Sendable {
  let log = Watched(LoopbackLog())
  /// Nil for a server that takes connections, and never says a word.
  private let answer: (@Sendable (SeenRequest) -> Answer)?

  init(_ answer: (@Sendable (SeenRequest) -> Answer)?) {
    self.answer = answer
  }

  /// Listens, starts the thread that accepts, and returns the port.
  func start() throws -> Int {
    let (listener, port) = try listen()
    Thread.detachNewThread { self.accept(from: listener, port: port) }
    return port
  }

  func stop() {
    log.update { log in
      log.isStopped = true
      for socket in log.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  private func accept(from listener: Int32, port: Int) {
    var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    while !log.value.isStopped {
      // The time only bounds how long the thread outlives the server.
      guard poll(&waiting, 1, 50) > 0 else { continue }
      let socket = systemAccept(listener)
      guard socket >= 0 else { continue }
      let number = log.update { log in
        log.sockets.insert(socket)
        log.accepted += 1
        return log.accepted - 1
      }
      Thread.detachNewThread { self.serve(LoopbackConnection(socket: socket, number: number)) }
    }
    close(listener)
  }

  private func serve(_ connection: LoopbackConnection) {
    if answer == nil { _ = connection.perform(.untilClosed) }
    while !log.value.isStopped, let answer, let request = connection.readRequest() {
      log.update { log in
        log.requests.append(request)
        log.inFlight += 1
        log.mostInFlight = max(log.mostInFlight, log.inFlight)
      }
      guard perform(answer(request), for: request, on: connection) else { break }
    }
    log.update { log in _ = log.sockets.remove(connection.socket) }
    close(connection.socket)
    log.update { log in log.closed += 1 }
  }

  /// Takes the answer's steps.
  ///
  /// Returns whether another request may follow.
  private func perform(_ answer: Answer, for request: SeenRequest, on connection: LoopbackConnection) -> Bool {
    answer.gate?.pass()
    let head: [Answer.Step] = answer.head.isEmpty ? [] : [.send(answer.head)]
    let steps = head + (request.method == "HEAD" && !head.isEmpty ? [] : answer.steps)
    // A request is over just before its last bytes go out: once they have, the client may send the next.
    for step in steps.dropLast() {
      guard connection.perform(step) else { return leave(false) }
    }
    if case .untilClosed = steps.last { return leave(connection.perform(.untilClosed)) }
    _ = leave(true)
    return (steps.last.map(connection.perform) ?? true) && answer.keepsAlive
  }

  private func leave(_ goesOn: Bool) -> Bool {
    log.update { $0.inFlight -= 1 }
    return goesOn
  }
}

private func listen() throws -> (listener: Int32, port: Int) {
  #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
  #else
    let kind = SOCK_STREAM
  #endif
  let listener = socket(AF_INET, kind, 0)
  guard listener >= 0 else { throw LoopbackFailure(call: "socket", code: errno) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(listener, address, length) + systemListen(listener) + getsockname(listener, address, &length)
    }
  }
  guard code == 0 else { throw LoopbackFailure(call: "bind", code: errno) }
  return (listener, Int(in_port_t(bigEndian: address.sin_port)))
}

/// A port that was free a moment ago.
func unusedLoopbackPort() throws -> Int {
  let (listener, port) = try listen()
  close(listener)
  return port
}

// The system's calls, under names that the functions above don't hide.
private func systemListen(_ listener: Int32) -> Int32 { listen(listener, 512) }
private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
