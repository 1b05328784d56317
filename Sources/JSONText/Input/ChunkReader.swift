/// Reads one kind of input, chunk after chunk.
protocol ChunkReader: Sendable {
  /// Reads to the cursor's end.
  mutating func read(_ cursor: inout Cursor) throws(SyntaxError)
  /// Ends the input: whether it is whole, and whether its end is that of a record.
  mutating func finish() -> (isWhole: Bool, endsRecord: Bool)
}
