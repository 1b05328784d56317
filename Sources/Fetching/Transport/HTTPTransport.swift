// The interface of all layers that answer a request: curl, a recording, or a layer around another one.

package import Wire

/// A layer that answers requests.
package protocol HTTPTransport: Sendable {
  /// Sends a request and returns its reply as soon as the head is there; the body is read from `Reply.body`.
  ///
  /// - Throws: `TransportError` if no reply came. A 404 is a reply.
  func send(_ request: Request) async throws(TransportError) -> Reply
}

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

/// Receives the events of a run's transports, on any thread.
package protocol TransportObserver: Sendable {
  func willSend(_ request: Request)
  /// The head of a reply has come.
  func didReceive(_ head: ReplyHead, to request: Request)
  /// The request that `willSend` announced was cancelled before anything of it was sent.
  func wasNotSent(_ request: Request)
  /// The exchange is over: its reply was read or discarded, or the request failed.
  func didEnd(_ exchange: OpenExchange.Outcome, of request: Request)
  /// The request waits for its next attempt, for the end of its origin's pause, or for its slot.
  func waits(_ request: Request, for time: Duration, because reason: WaitReason)
  /// The request is about to be sent again after a failure.
  func retries(_ request: Request)
  /// A warning about something that does not change this run's outcome, but may change the next one's.
  func warns(_ text: String)
}

/// The reason why a request waits.
package enum WaitReason: Sendable, Hashable {
  /// The request is tried again after this status.
  case status(Int)
  /// The request is tried again after an answer that fulfils `retry.when`.
  case condition
  /// The request is tried again after a failure of the connection.
  case failure
  /// The origin asked for a pause in a reply to another request.
  case pause
  /// The job's or the origin's `rate` is used up.
  case rate
  /// The job polls, and the server is still at work.
  case poll
}
