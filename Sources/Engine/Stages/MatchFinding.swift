import Diagnostics
import FetchPlan
import JSONText
import Unwrapping
import Wire

/// The result of a join for a warning: whether any input record had a match, and the first records of both sides.
struct MatchFinding {
  private var input: JSONValue?
  private var fetched: JSONValue?
  private var hasMatch = false

  /// Records an input record and the number of its matches.
  mutating func note(_ record: @autoclosure () -> JSONValue?, _ matchCount: Int, in table: MatchTable) {
    hasMatch = hasMatch || matchCount > 0
    guard !hasMatch else { return }
    input = input ?? record()
    fetched = fetched ?? table.first
  }

  /// Warns if no input record had a match, and the first records show the reason.
  func warn(_ job: JobContext) {
    guard !hasMatch, let input, let fetched, let doubt = job.plan.doubtOfMatch(fetched, input) else { return }
    job.report.adviseOnce(
      "\(job.name): 'match' found nothing for any input record: \(job.fetcher.secrets.redactingCutNames(doubt).printable)",
      about: "match \(job.name)")
  }
}
