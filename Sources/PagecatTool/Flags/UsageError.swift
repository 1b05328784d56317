/// A command line that is wrong, in one sentence.
struct UsageError: Error, Hashable {
  let message: String
}
