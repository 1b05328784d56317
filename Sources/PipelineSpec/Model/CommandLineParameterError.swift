/// Why a value can't be taken for a parameter: a sentence without a place, since the command line has none.
package struct CommandLineParameterError: Error, Hashable, Sendable {
  package let message: String
}
