/// Reader of one kind of input, chunk after chunk.
protocol ChunkReader: Sendable {
  /// Reads to the cursor's end.
  mutating func read(_ cursor: inout Cursor) throws(SyntaxError)
  /// Ends the input; returns whether the input is complete, and whether its end completes a record.
  mutating func finish() throws(SyntaxError) -> (isWhole: Bool, endsRecord: Bool)
}
