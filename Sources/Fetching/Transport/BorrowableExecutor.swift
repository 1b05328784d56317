// A thread that somebody lends, so that none has to be started.

/// A thread that has nothing to do but wait: the process's first one, in a command. It runs tasks when nobody has it.
package protocol BorrowableExecutor: TaskExecutor {
  /// Does this work there, as soon as what is under way there gives way. Until it is given back, tasks that want to run on
  /// the thread are run by `executor`, which is what the work does.
  ///
  /// - Returns: false when the thread is lent already; then nothing is done.
  func lend(to executor: any TaskExecutor, for work: @escaping @Sendable () -> Void) -> Bool
  /// The work is about to end, and runs no more tasks: they wait for its end.
  func giveBack()
}
