/// The failure of an attempt, and its cause, which decides about another attempt.
package struct AttemptError<Failure: Error>: Error {
  package let failure: Failure
  package let cause: AttemptErrorCause

  package init(_ failure: Failure, _ cause: AttemptErrorCause) {
    self.failure = failure
    self.cause = cause
  }
}
