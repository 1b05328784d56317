/// The failure of all attempts together.
package enum RetryError<Failure: Error>: Error {
  /// The last attempt's failure, and a note for the message (number of attempts, time to come back), perhaps empty.
  case failed(Failure, note: String)
  /// No attempt was made, because the origin asked for a longer pause in another reply.
  case held(TransportError)
  case cancelled
}
