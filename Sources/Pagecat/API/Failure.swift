import Diagnostics
import Synchronization
import Wire

/// A failure and where it happened.
package struct Failure: Sendable {
  package let error: NetworkingError
  /// The job's name.
  package let job: String
  /// The input record's number in the job's input, from 1, where the job reads records.
  package let record: Int?

  /// One line: `drinks, input record 3: invalidResponseStatus: 500 from …`.
  package var description: String {
    job.printable + (record.map { ", input record \($0)" } ?? "") + ": \(error.description.printableLines)"
  }
}
