import Diagnostics
import JSONText

/// A Singer state: the highest marks of each stream's jobs.
package struct SingerState: Sendable {
  private var bookmarks: [(name: String, value: JSONValue)] = []

  package init() {}

  /// Reads a state, as a tap writes it or as a target keeps it (with or without `value`).
  ///
  /// An empty file is none.
  ///
  /// - Throws: `SpecError` if the text is no object.
  package init(_ bytes: [UInt8], name: String) throws(SpecError) {
    if bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { return }
    guard let json = try? JSONValue(parsing: bytes), json.kind == .object else {
      throw SpecError(messages: ["'\(name.printable)' is no state: it must be a JSON object"])
    }
    let marks = (json["value"] ?? json)["bookmarks"] ?? .null
    bookmarks = marks.members.map { ($0.name, $0.value) }
  }

  /// Marks of a stream, by job.
  subscript(stream: String) -> [String: JSONValue] {
    let marks = bookmarks.first { $0.name == stream }?.value ?? .null
    return Dictionary(marks.members.map { ($0.name, $0.value) }) { $1 }
  }

  /// Takes over newer marks of a stream; of a job that has one for each input record, those that are newer.
  mutating func remember(_ marks: [(name: String, value: JSONValue)], of stream: String) {
    var known = self[stream]
    for (name, value) in marks { known[name] = known[name].map { value.added(to: $0) } ?? value }
    guard !known.isEmpty else { return }
    let entry = JSONValue(members: known.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    bookmarks.removeAll { $0.name == stream }
    bookmarks.append((stream, entry))
  }

  /// The state as the value of a STATE message.
  var json: JSONValue { JSONValue(members: [("bookmarks", JSONValue(members: bookmarks))]) }
}

extension JSONValue {
  /// Returns an older object with this one's members; this value itself if one of both is no object.
  fileprivate func added(to older: JSONValue) -> JSONValue {
    guard kind == .object, older.kind == .object else { return self }
    let newer = Set(members.map(\.name))
    return JSONValue(
      members: older.members.filter { !newer.contains($0.name) }.map { (name: $0.name, value: $0.value) }
        + members.map { (name: $0.name, value: $0.value) })
  }
}
