/// The reason why a file can't be replayed, with its name and the JSON path of the problem (exit 2).
package struct ReplayError: Error, Hashable, Sendable {
  package let problem: String
  package init(problem: String) { self.problem = problem }
}
