// The interface of all layers that answer a request: curl, a recording, or a layer around another one.

import Primitives
import Synchronization
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
  /// The request is tried again after an answer with status 200 that is not what was asked for, such as HTML.
  case content
  /// The origin asked for a pause in a reply to another request.
  case pause
  /// The job's or the origin's `rate` is used up.
  case rate
  /// The job polls, and the server is still at work.
  case poll
}

/// A response whose body is still to be read.
package struct Reply: Sendable {
  package let head: ReplyHead
  package let body: any ReplyBody
  /// The exchange that brought the reply, from `CountingTransport` upwards.
  package let exchange: OpenExchange?

  package init(head: ReplyHead, body: any ReplyBody, exchange: OpenExchange? = nil) {
    self.head = head
    self.body = body
    self.exchange = exchange
  }
}

extension Reply {
  /// The fields of the head, and those that came after the body, once it has been read to its end.
  package var fields: HTTPFields {
    let trailers = body.trailers.all
    return trailers.isEmpty ? head.fields : HTTPFields(head.fields.all + trailers)
  }
}

/// A response body, read once, in order, by one reader.
package protocol ReplyBody: AnyObject, Sendable {
  /// Returns the next bytes (decoded, never empty), or nil at the end of a whole body.
  ///
  /// - Throws: `TransportError` if the body was cut short, stalled, or exceeds the request's limit.
  func next() async throws(TransportError) -> [UInt8]?

  /// The fields that came after the body, once it has been read to its end (RFC 9110 §6.5).
  var trailers: HTTPFields { get }

  /// Cancels the rest; does nothing if the body has been read to its end.
  func cancel()
}

extension ReplyBody {
  package var trailers: HTTPFields { HTTPFields() }
}

/// A missing or incomplete reply: the error `transportFailure` (exit 3).
package struct TransportError: Error, Hashable, Sendable {
  /// The raw values are the names of the kinds in our HAR files.
  package enum Kind: String, Hashable, Sendable {
    /// libcurl is missing or too old.
    case noLibrary
    case badURL
    case resolve, connect, tls
    /// Less than 1 KB arrived in `timeout`, or no connection was made in time.
    case timeout
    /// The connection ended before the reply was whole.
    case cut
    /// A reused connection ended without an answer, probably because the server was about to close it.
    case stale
    case tooLarge
    case redirect
    /// The request was not sent, because the server asked for a longer pause than the request may wait.
    case held
    /// The server refused the credentials and gave no token; `answer` is its reply if that was a status.
    case refused
    /// A new token could not be saved, and was not used.
    case unsaved
    /// The replay has no answer to the request.
    case noAnswer
    case cancelled
    /// The request was cancelled before anything of it was sent.
    case unsent
    case other
  }

  /// The reply to a request that had to come first: the request for a token.
  package struct Answer: Hashable, Sendable {
    package let status: Int
    /// Start of the body, redacted.
    package let body: String
  }

  package let kind: Kind
  package let url: Redactable
  /// The problem and a remedy, redacted: `connection refused by 127.0.0.1:9`.
  package let problem: String
  package let answer: Answer?
  /// True if the request that failed was one for a token, with all its attempts: those of the page's request add none.
  package var isRetried = false

  /// Start of the problem if the token endpoint replied with an error status.
  package static let tokenEndpoint = "the token endpoint"
  /// Start of the problem if the request of `login` got an error status.
  package static let login = "the login"

  package init(_ kind: Kind, url: Redactable, problem: String, answer: Answer? = nil) {
    self.kind = kind
    self.url = url
    self.problem = problem
    self.answer = answer
  }

  /// True if another attempt may succeed.
  package var mayPass: Bool {
    guard !isRetried else { return false }
    return switch kind {
    case .resolve, .connect, .timeout, .cut, .stale: true
    case .noLibrary, .badURL, .tls, .tooLarge, .redirect, .held, .refused, .unsaved, .noAnswer, .cancelled, .unsent,
      .other:
      false
    }
  }
}

/// One request that was sent, and its reply.
///
/// An exchange ends by `finish()`, or when it is released, so that no code path can forget its end.
package final class OpenExchange: Sendable {
  /// The end of an exchange: its reply, its size and its time.
  package struct Outcome: Sendable {
    /// Nil if no reply came.
    package var status: Int?
    /// Number of decoded bytes of the body that were read.
    package var bytes = 0
    /// Number of records of the page; nil if the reply brought no page.
    package var records: Int?
    /// Description of the transport's failure; it may contain secrets.
    package var problem: String?
    package var duration: Duration = .zero
  }

  private let request: Request
  private let observer: any TransportObserver
  private let start = ContinuousClock.now
  private let outcome = Locked<Outcome?>(Outcome())

  init(_ request: Request, observer: any TransportObserver) {
    self.request = request
    self.observer = observer
    observer.willSend(request)
  }

  deinit { finish() }

  /// Reports the outcome; only the first call counts.
  package func finish() {
    let ended: Outcome? = outcome.withLock { outcome in
      defer { outcome = nil }
      return outcome
    }
    guard var ended else { return }
    ended.duration = ContinuousClock.now - start
    observer.didEnd(ended, of: request)
  }

  /// Notes facts of the outcome as they become known, until the end.
  package func update(_ change: (inout Outcome) -> Void) {
    outcome.withLock { outcome in
      guard var changed = outcome else { return }
      change(&changed)
      outcome = changed
    }
  }

  /// Withdraws a request of which nothing was sent.
  func wasNotSent() {
    outcome.withLock { $0 = nil }
    observer.wasNotSent(request)
  }
}
