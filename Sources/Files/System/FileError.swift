#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Output could not be written.
package enum FileError: Error, Hashable, Sendable {
  /// The reader of a pipe went away (EPIPE). Not an error to talk about: nobody is there to be told.
  case readerGone
  /// The call that failed, on what, and the system's reason.
  case failed(String)
  /// Another run holds the file; `owner` is its process number, as far as it is known.
  case busy(path: String, owner: String)
}
