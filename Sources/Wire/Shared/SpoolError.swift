import Synchronization

/// The temporary file failed: which call, on which path, and the system's reason.
package struct SpoolError: Error, Hashable, Sendable {
  package let problem: String
  package init(problem: String) { self.problem = problem }
}
