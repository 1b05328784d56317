import Files

/// The consumer of a run's records.
protocol RecordSink: ~Copyable {
  /// Writes a batch, and returns when the operating system has it.
  ///
  /// - Parameter counters: counters of the run after this batch.
  mutating func take(_ batch: Batch, _ counters: RunCounters) throws(FileError)
  /// Reports that writing the batch may have to wait for a reader.
  func mayWait(toTake batch: Batch) -> Bool
  /// True if the reader of the records has left.
  var isReaderGone: Bool { get }
}
