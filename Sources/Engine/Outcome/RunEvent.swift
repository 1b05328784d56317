package import Wire

/// Something that happened in a run, without secrets, and safe to print.
package struct RunEvent: Sendable {
  package enum Kind: Sendable, Hashable {
    /// A request is about to be sent.
    case sending
    /// The head of a reply has come.
    case receiving
    /// An exchange is over.
    case request
    /// A request waits.
    case wait
  }

  package struct Field: Sendable {
    package let name: String
    package let value: String
  }

  package let kind: Kind
  package let purpose: Request.Purpose
  package let method: String
  package let url: String
  /// Duration of the exchange, or of the wait.
  package var duration: Duration = .zero
  package var status: Int?
  package var bytes = 0
  /// Nil if the exchange brought no page.
  package var records: Int?
  /// Reason why no reply came, or why the request waits.
  package var reason: String?
  /// Header fields of the request or the reply.
  package var fields: [Field] = []
  /// Start of the request's body.
  package var body: String?

  /// True for a wait because of `rate`.
  package var isWaitForRate = false
}
