/// Kind and offset of an error in a chunk, small enough to be thrown from the hot path.
struct SyntaxError: Error {
  let reason: JSONError.Reason
  /// Offset from the chunk's start; negative if a UTF-8 sequence began in an earlier chunk.
  let offset: Int
}
