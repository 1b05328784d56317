/// What is wrong, and where in the chunk: small enough to be thrown from the hot path.
struct SyntaxError: Error {
  let reason: JSONError.Reason
  /// From the chunk's start; below zero when an UTF-8 sequence began in the chunk before.
  let offset: Int
}
