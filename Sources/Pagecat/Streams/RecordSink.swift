import Files

/// What takes a run's records.
protocol RecordSink: ~Copyable {
  /// The records are out of our hands when it returns.
  ///
  /// - Parameter facts: what is so with these records.
  mutating func take(_ batch: Batch, _ counters: Report.Counters) throws(OutputError)
  /// Whether that may have to wait for a reader.
  func mayWait(toTake batch: Batch) -> Bool
  /// Whether nobody is there any more to read them.
  var isReaderGone: Bool { get }
}
