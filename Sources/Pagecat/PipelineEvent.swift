import Engine

/// An event of a run, for its observer.
///
/// The error that ends a run is no event: it is thrown where the records are requested.
public enum PipelineEvent: Sendable {
  /// The progress of the run; a slow observer gets the newest only.
  case progress(Progress)
  /// A warning that does not change the records.
  case warning(String)
  /// An input record was left out or answered empty, as `onError` says.
  case reject(Reject)
  /// The number of warnings and rejects that were dropped, because more than 1,000 of them waited for the observer.
  case missed(Int)

  /// The progress of a run.
  ///
  /// Counts are those of the run so far.
  public struct Progress: Sendable, Hashable {
    /// Records that were given or written.
    public let records: Int
    /// Pages that were fetched.
    public let pages: Int
    /// Requests that were sent.
    public let requests: Int
    /// Bytes of the response bodies, decoded.
    public let bytes: Int
    /// Requests in progress.
    public let requestsInFlight: Int
    /// Total of pages, if the server has announced it.
    public let totalPages: Int?
    /// Total of records, if the server has announced it.
    public let totalRecords: Int?
    /// Reason of the wait that ends last, such as `429`; nil if nothing waits.
    public let waitReason: String?

    /// Done part of the announced total, 0 to 1; nil if there is none.
    public var fraction: Double? {
      let (done, all) = totalPages.map { (pages, $0) } ?? totalRecords.map { (records, $0) } ?? (0, 0)
      return all > 0 ? min(1, Double(done) / Double(all)) : nil
    }

    init(_ counters: RunCounters, _ activity: RunActivity) {
      records = counters.records
      pages = counters.pages
      requests = counters.requests
      bytes = counters.bytes
      requestsInFlight = activity.requests
      var totals: (pages: Int?, records: Int?)
      switch activity.total {
      case .pages(let count)?: totals.pages = count
      case .records(let count)?: totals.records = count
      case nil: break
      }
      (totalPages, totalRecords) = totals
      waitReason = activity.wait.flatMap { $0.end > .now ? $0.reason : nil }
    }
  }

  /// An input record whose requests failed.
  public struct Reject: Sendable, CustomStringConvertible {
    /// Name of the job.
    public let job: String
    /// Number of the input record in the job's input, from 1.
    public let record: Int?
    /// The reason.
    public let error: NetworkingError
    /// Job, record and reason on one line.
    public let description: String

    init(_ failure: Failure) {
      job = failure.job
      record = failure.record
      error = failure.error
      description = failure.description
    }
  }
}
