/// Error of a parameter's value on the command line.
///
/// It has a message but no position, since the command line has none.
package struct CommandLineParameterError: Error, Hashable, Sendable {
  package let message: String
}
