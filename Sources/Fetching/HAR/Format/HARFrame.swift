import Files
import JSONText
import Wire

/// The text around the entries of a HAR file.
///
/// An entry is one line, so that `grep` can search the file.
enum HARFrame {
  static func opening(creatorVersion: String, start: Int) -> [UInt8] {
    let creator = JSONValue(members: [("name", JSONValue("pagecat")), ("version", JSONValue(creatorVersion))])
    let page = JSONValue(members: [
      ("startedDateTime", JSONValue(HARTime.text(of: Double(start)))),
      ("id", JSONValue(HAREntry.page)),
      ("title", JSONValue("pagecat run")),
      ("pageTimings", JSONValue(members: [])),
    ])
    return Array(#"{"log":{"version":"1.2","creator":"#.utf8) + creator.bytes + Array(#","pages":["#.utf8)
      + page.bytes + Array("],\"entries\":[\n".utf8)
  }

  static let separator = Array(",\n".utf8)

  /// Returns the end of the file.
  ///
  /// - Parameter run: outcome of the run, for the custom member `_run`; nil if it is not known.
  static func closing(run: JSONValue?) -> [UInt8] {
    Array("\n]".utf8) + (run.map { Array(#","_run":"#.utf8) + $0.bytes } ?? []) + Array("}}\n".utf8)
  }
}
