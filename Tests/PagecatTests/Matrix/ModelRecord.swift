/// A record of the model server, which knows when it was made.
struct ModelRecord: Sendable, Hashable {
  let id: Int
  /// The list that it belongs to, or that it is.
  let list: String
  /// Seconds since the start of 2024.
  ///
  /// All of the model happens in January.
  let second: Int
  /// Members that are taken off.
  private var dropped: [String] = []

  init(id: Int, list: String, second: Int) {
    (self.id, self.list, self.second) = (id, list, second)
  }

  func dropping(_ names: [String]) -> ModelRecord {
    var record = self
    record.dropped = names
    return record
  }

  /// RFC 3339, in UTC.
  var time: String { ModelCalendar.time(second) }
  var day: String { ModelCalendar.day(second) }
  /// Grows with time, and has gaps.
  var number: Int { 100 + id * 3 }

  var json: String {
    let members = [
      ("id", "\(id)"), ("list", "\"\(list)\""), ("at", "\"\(time)\""), ("day", "\"\(day)\""), ("seq", "\(number)"),
    ]
    let kept = members.filter { !dropped.contains($0.0) }
    return "{\(kept.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
  }

  /// The record with its list's items attached.
  func json(attaching items: [ModelRecord]) -> String {
    json.dropLast() + #","items":[\#(items.map(\.json).joined(separator: ","))]}"#
  }
}
