#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The recording could not be written: what failed, on which path, and the system's reason (exit 5).
package struct RecordingError: Error, Hashable, Sendable {
  package let problem: String
  package init(problem: String) { self.problem = problem }
}
