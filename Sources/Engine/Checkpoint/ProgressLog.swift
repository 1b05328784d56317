import JSONText

/// Takes the progress of the stages before the last one, so that another process can resume the run.
protocol ProgressLog: Sendable {
  /// True if all bookmarks of a stream are kept; otherwise only the last one.
  var keepsEachBookmark: Bool { get }
  /// The way to start over, for a message.
  var wayToStartOver: String { get }
  /// Keeps input records of a stage, before their page is complete.
  ///
  /// Returns false if that failed.
  func keep(_ lines: [UInt8], for stage: Int) -> Bool
  /// Ends the input records of a page, with the progress of the previous stages.
  ///
  /// Returns false if that failed.
  func endPage(from start: Int, count: Int, for stage: Int, _ progress: [StageProgress], _ counters: RunCounters)
    -> Bool
  /// Keeps the hash of a saved file's path, so that no other record gets the path.
  func appendSavedPath(_ hash: Int, stage: Int, record: Int)
}
