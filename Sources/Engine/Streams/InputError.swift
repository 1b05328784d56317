/// A failure to open or read a file: its path, and the system's reason.
package struct InputError: Error, Hashable, Sendable {
  package let problem: String
}
