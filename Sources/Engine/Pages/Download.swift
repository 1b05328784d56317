// Downloads: a URL becomes a whole file, or none.

import Diagnostics
import Files
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Primitives
import Wire

/// The download of a record: its request and its path.
struct Download: Sendable {
  /// The result of planning a record's download.
  enum Planned: Sendable {
    case wanted(Download)
    case impossible(ParameterError)
  }

  let request: Request
  let path: SavePath
  let reservation: PathReservation
  /// Error for the case that another record has the path.
  let conflict: ParameterError

  /// Plans the download and reserves its path; must be called in the order of the records.
  init(
    _ download: Job.Download, _ plan: JobPlan, record: JSONValue, downloadStore: DownloadStore,
    hiding secrets: SecretStore
  ) throws(ParameterError) {
    request = try plan.request(for: record, hiding: secrets)
    path = try plan.savePath(for: record, download, url: request.url)
    guard !downloadStore.isOwn(path.names) else {
      throw plan.fault(of: download, "'\(path.text)' is a file that the run itself reads or writes")
    }
    conflict = plan.fault(of: download, "'\(path.text)' is the path of another record of this run")
    guard let reservation = downloadStore.reserve(path.names) else { throw conflict }
    self.reservation = reservation
  }
}

extension ReplyHead {
  /// True if the status brings a whole file: neither an empty reply, nor a part, nor a promise of a file.
  var hasWholeFile: Bool { (200...299).contains(status) && ![202, 204, 205, 206].contains(status) }

  /// True for a file of lines, by its type or its name.
  func hasLines(at path: String) -> Bool {
    let type = fields["Content-Type"]?.lowercased() ?? ""
    if ["csv", "tab-separated", "ndjson", "jsonl", "json-lines", "json-seq"].contains(where: type.contains) {
      return true
    }
    return [".csv", ".tsv", ".ndjson", ".jsonl"].contains(where: path.lowercased().hasSuffix)
  }

  var length: Int? { fields["Content-Length"].flatMap { Int($0) } }

  /// Returns the time of the file's last change, in Unix seconds.
  ///
  /// - Parameter now: Unix seconds.
  func modified(now: Double) -> Int? {
    fields["Last-Modified"].flatMap { HTTPDate.seconds(of: $0, now: now) }.map { Int($0) }
  }

  /// Reports that a file has the length of the reply, if that is known.
  ///
  /// Many servers send 0 if they send no body.
  func mayHaveLength(of file: EntryMetadata) -> Bool { length == nil || length == 0 || length == file.size }

  /// Reports that the server has nothing newer than a file.
  ///
  /// Some servers ignore `If-Modified-Since`.
  func isUnchanged(_ file: EntryMetadata, now: Double) -> Bool {
    if status == 304 { return true }
    guard status == 200, let length, let modified = modified(now: now) else { return false }
    return length == file.size && modified <= file.modified
  }
}
