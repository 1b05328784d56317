// Joins fetched records to the input record that they match.

import FetchPlan
import JSONText
import PipelineSpec

extension JobContext {
  /// Returns the line of an input record with its matches.
  ///
  /// - Parameter number: number of the record in the job's input, from 1; for messages.
  func joined(
    _ record: JSONValue, _ matches: [JSONValue], _ number: Int
  ) throws(NetworkingError) -> [UInt8] {
    var additions: [(name: String, value: JSONValue)] = []
    switch plan.job.attach {
    case .list(let name): additions.append((name, JSONValue(elements: matches)))
    case .one(let name): additions.append((name, try only(of: matches, name, number)))
    case nil: break
    }
    if let name = plan.job.count { additions.append((name, JSONValue(matches.count))) }
    do {
      additions += try plan.additions(for: record)
    } catch {
      throw NetworkingError(error, hiding: fetcher.secrets)
    }
    return try adding(additions, to: record, of: "input", number: number).line
  }

  /// Returns the line of an input record without matches, for `onError: empty`; empty if the record is no object.
  func withNothingJoined(_ record: JSONValue) -> [UInt8] {
    (try? joined(record, [], 0)) ?? []
  }

  private func only(of matches: [JSONValue], _ name: String, _ number: Int) throws(NetworkingError) -> JSONValue {
    guard matches.count > 1 else { return matches.first ?? .null }
    throw .decodingError(
      source: "input", page: nil, record: number, keyPath: name, expected: oneAtMost("match", name),
      found: "\(matches.count)")
  }
}
