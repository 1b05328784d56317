import Diagnostics
import Pagecat
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Messages for the person at the other end: whole lines on standard error, each led by the program's name.
///
/// Who can't be told is not told: a failure to write a message changes nothing else.
final class Console: Sendable {
  private let descriptor: Int32
  private let turn = Mutex(())

  init(_ streams: Streams) {
    descriptor = streams.error
  }

  /// Also what was not thought of is safe to print.
  func say(_ message: String) {
    sayAsItIs(message.printableLines)
  }

  /// Of text in a form of its own, in which nothing unsafe stands.
  func sayAsItIs(_ message: String) {
    turn.withLock { _ in write(message + "\n", to: descriptor) }
  }

  func error(_ message: String) {
    say("pagecat: error: \(message)")
  }

  /// Errors that may have a place of their own: `FILE:LINE:COLUMN: error: …` stands as it is, as compilers print it.
  func report(_ messages: String) {
    messages.contains(": error: ") ? say(messages) : error(messages)
  }
}

/// Best effort, in order.
private func write(_ text: String, to descriptor: Int32) {
  var rest = Array(text.utf8)
  while !rest.isEmpty {
    let count = write(descriptor, rest, rest.count)
    if count > 0 {
      rest.removeFirst(count)
    } else if errno == EAGAIN {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&entry, 1, -1)
    } else if errno != EINTR {
      return
    }
  }
}
