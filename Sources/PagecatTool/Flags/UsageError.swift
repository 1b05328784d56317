/// An error in the command line, in one sentence.
struct UsageError: Error, Hashable {
  let message: String
}
