/// How all attempts together failed.
package enum RetryError<Failure: Error>: Error {
  /// The last attempt's failure, and what is to be said beside it: how many there were, when to come back. May be empty.
  case failed(Failure, note: String)
  /// No attempt was made: it is too early, as other replies said.
  case held(TransportError)
  case cancelled
}
