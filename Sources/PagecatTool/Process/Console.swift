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

/// Messages for the user: whole lines on standard error, each with the program's name in front.
///
/// A failure to write a message is ignored and changes nothing else.
final class Console: Sendable {
  private let descriptor: Int32
  private let turn = Mutex(())

  init(_ streams: Streams) {
    descriptor = streams.error
  }

  /// Prints a message, and makes it safe to print in case a caller did not.
  func say(_ message: String) {
    sayAsItIs(message.printableLines)
  }

  /// Prints text in a format of its own that contains nothing unsafe.
  func sayAsItIs(_ message: String) {
    turn.withLock { _ in write(message + "\n", to: descriptor) }
  }

  func error(_ message: String) {
    say("pagecat: error: \(message)")
  }

  /// Prints errors.
  ///
  /// One with a location (`FILE:LINE:COLUMN: error: …`) is printed unchanged, as compilers do.
  func report(_ messages: String) {
    messages.contains(": error: ") ? say(messages) : error(messages)
  }
}

/// Writes a text in order, and ignores errors.
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
