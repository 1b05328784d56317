/// Why a file can't be replayed, with its name and the place in it (exit 2).
package struct ReplayError: Error, Hashable, Sendable {
  package let problem: String
  package init(problem: String) { self.problem = problem }
}
