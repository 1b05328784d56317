import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that could not be opened or read: which, and the system's reason.
package struct InputError: Error, Hashable, Sendable {
  package let problem: String
}
