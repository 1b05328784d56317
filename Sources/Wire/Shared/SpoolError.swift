import Synchronization

/// A failure of the temporary file: the failed call, its path, and the system's reason.
package struct SpoolError: Error, Hashable, Sendable {
  package let problem: String
  package init(problem: String) { self.problem = problem }
}
