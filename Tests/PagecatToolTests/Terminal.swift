import Foundation
import TestSupport

/// A pseudo-terminal whose other end the test reads.
final class Terminal: Sendable {
  private let master: FileHandle
  /// The end for a program.
  let slave: FileHandle

  init(columns: UInt16) throws {
    var (own, other): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&own, &other, nil, nil, &size) == 0 else { throw POSIXError(.EIO) }
    // No other program that a test starts may hold the terminal open.
    for number in [own, other] { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    master = FileHandle(fileDescriptor: own, closeOnDealloc: true)
    slave = FileHandle(fileDescriptor: other, closeOnDealloc: false)
  }

  /// Types text at the terminal.
  func type(_ text: String) throws { try master.write(contentsOf: Data(text.utf8)) }

  /// Makes the terminal wider or narrower, at once for the program that asks for its width.
  func resize(to columns: UInt16) throws {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(master.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0 else { throw POSIXError(.EIO) }
  }

  /// Reads all that is written until the program ends.
  ///
  /// - Parameter sees: called with the text so far, whenever there is more.
  func text(_ sees: @escaping @Sendable (String) -> Void) async throws -> String {
    try slave.close()
    return try await blocking { [master] in
      var text = Data()
      var buffer = [UInt8](repeating: 0, count: 4_096)
      // The end of a terminal is an error (EIO).
      while case let count = read(master.fileDescriptor, &buffer, buffer.count), count > 0 {
        text += buffer[..<count]
        sees(String(decoding: text, as: UTF8.self))
      }
      return String(decoding: text, as: UTF8.self)
    }
  }
}
