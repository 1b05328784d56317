#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The reason why output could not be written.
package enum FileError: Error, Hashable, Sendable {
  /// The reader of a pipe left (EPIPE).
  ///
  /// No message is printed.
  case readerGone
  /// A call failed; the text names the call, the path and the system's reason.
  case failed(String)
  /// Another run holds the file; `owner` is its process number, if known.
  case busy(path: String, owner: String)
}
