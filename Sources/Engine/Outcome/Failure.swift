import Diagnostics
import Wire

/// A failure, with the job and the input record in which it happened.
package struct Failure: Sendable {
  package let error: NetworkingError
  /// Name of the job.
  package let job: String
  /// Number of the input record in the job's input, from 1; nil if the job reads no records.
  package let record: Int?
  /// Number of the last input record, if the failure is that of several (`batch`).
  var last: Int?

  private var place: String {
    guard let record else { return "" }
    guard let last, last > record else { return ", input record \(record)" }
    return ", input records \(record) to \(last)"
  }

  /// Message in one line: `drinks, input record 3: invalidResponseStatus: 500 from …`.
  package var description: String {
    "\(job.printable)\(place): \(error.description.printableLines)"
  }
}
