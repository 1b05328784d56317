// A thread that can be borrowed, so that no other thread must be started.

/// An idle thread that runs tasks unless it is borrowed: the process's main thread, in a command.
package protocol BorrowableExecutor: TaskExecutor {
  /// Runs the work on the thread as soon as its current work allows it.
  ///
  /// Until the thread is given back, `executor`, which the work runs, runs the tasks of the thread.
  ///
  /// - Returns: false if the thread is already borrowed; the work is not run then.
  func lend(to executor: any TaskExecutor, for work: @escaping @Sendable () -> Void) -> Bool
  /// Ends the loan: the work is about to end and runs no more tasks, so new tasks wait for its end.
  func giveBack()
}
