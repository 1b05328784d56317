// A job and an input record become a request.

package import JSONText
package import PipelineSpec
package import Wire

/// A job with everything evaluated that does not depend on a record.
package struct JobPlan: Sendable {
  package let job: Job

  /// - Parameters:
  ///   - specName: for places in messages.
  ///   - userAgent: `pagecat/1.0.0`.
  /// - Throws: `ParameterFault` (with `isConfiguration`) for a missing `env` or `param`, a `base` or `endpoint` that is no
  ///   URL, a header value that may not be one: whatever can be known before any request.
  package init(job: Job, specName: String, run: RunValues, userAgent: String) throws(ParameterFault) {
    fatalError("unimplemented")
  }

  /// The first request for a record (nil for a job that reads none).
  package func request(for record: JSONValue?) throws(ParameterFault) -> Request { fatalError("unimplemented") }

  /// Where the content sits, for a record.
  package func content(for record: JSONValue?) throws(ParameterFault) -> JSONPath { fatalError("unimplemented") }

  /// The `body` paths that `pages` templates read, to be captured while a page is scanned.
  package var captures: [JSONPath] { fatalError("unimplemented") }

  /// The pager for a stream of pages that begins with that request.
  package func pager(first: Request, record: JSONValue?) -> Pager { fatalError("unimplemented") }

  /// The members that `set` adds to an output record, in order; optional templates that are missing are not there.
  package func additions(for record: JSONValue?) throws(ParameterFault) -> [(name: String, value: JSONValue)] {
    fatalError("unimplemented")
  }

  /// The input records that the job's `each` makes, one at a time. Nil when it has none.
  package func eachRecords() throws(ParameterFault) -> EachRecords? { fatalError("unimplemented") }
}

/// Records from `each`, made as they are asked for.
package struct EachRecords: Sequence, IteratorProtocol, Sendable {
  package mutating func next() -> JSONValue? { fatalError("unimplemented") }
}
