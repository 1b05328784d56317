/// All records that the model server has, in the order in which they were made.
struct ModelCatalog: Sendable {
  private(set) var lists: [ModelRecord]
  private(set) var items: [ModelRecord]

  /// Days with many records, with one and with none; the first and the last second of a day; two at the same second.
  init() {
    let day = ModelCalendar.secondsADay
    lists = ["a", "b", "c"].enumerated().map { ModelRecord(id: $0, list: $1, second: 3_600 * ($0 + 1)) }
    let seconds = [
      0, 5 * 3_600, day - 1, day, day + 43_200, 3 * day + 3_600, 3 * day + 3_600, 3 * day + 79_200, 4 * day + 28_800,
    ]
    items = seconds.enumerated().map { ModelRecord(id: $0, list: ["a", "b", "a"][$0 % 3], second: $1) }
  }

  /// Records that come later, some on the day of the last one so far.
  mutating func addNews() {
    let day = ModelCalendar.secondsADay
    lists.append(ModelRecord(id: lists.count, list: "d", second: 4 * day))
    for (list, second) in [("a", 4 * day + 72_000), ("d", 5 * day), ("b", 5 * day + 36_000), ("d", 6 * day + 32_400)] {
      items.append(ModelRecord(id: items.count, list: list, second: second))
    }
  }

  /// What a request selects: by list, above a mark, within a window; with `order`, the newest first.
  func records(of path: String, _ filters: [String: String]) -> [ModelRecord] {
    let found = (path == "/lists" ? lists : items).filter { record in
      filters.allSatisfy { name, value in
        switch name {
        case "list": value.split(separator: ",").contains(record.list[...])
        case "since": Self.isAbove(value, record)
        case "from": !Self.isBelow(value, record)
        case "until": !Self.isAbove(value, record, orOnDay: false)
        case "before": Self.isBelow(value, record)
        default: true
        }
      }
    }
    return filters["order"] == nil ? found : found.reversed()
  }

  /// A time and a number are exclusive.
  ///
  /// A day is inclusive, as it is for servers that compare dates.
  private static func isAbove(_ value: String, _ record: ModelRecord, orOnDay: Bool = true) -> Bool {
    if let number = Int(value) { return record.number > number }
    if value.contains("T") { return record.time > value }
    return orOnDay ? record.day >= value : record.day > value
  }

  private static func isBelow(_ value: String, _ record: ModelRecord) -> Bool {
    if let number = Int(value) { return record.number < number }
    return value.contains("T") ? record.time < value : record.day < value
  }
}
