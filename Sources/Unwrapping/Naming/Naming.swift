// `key: currency`: the names of a map's members go into the records that stand in them.

import JSONText

/// Puts a member in front of each record. An object that has it already gets it replaced in place; anything else than an
/// object becomes `{KEY: …, "value": …}`.
struct Naming: Sendable {
  private let key: String
  /// `{"KEY":`
  private let opening: [UInt8]
  /// Names that records have not come for yet, each with its line feed.
  private var waiting: [UInt8] = []

  init(key: String) {
    self.key = key
    opening = [Mark.openObject] + key.quotedJSON + [Mark.colon]
  }

  /// - Parameters:
  ///   - lines: whole lines.
  ///   - names: JSON strings, a line each, for the records from the first on that has none yet.
  mutating func named(_ lines: [UInt8], _ names: [UInt8]) -> [UInt8] {
    waiting += names
    var output: [UInt8] = []
    output.reserveCapacity(lines.count + waiting.count)
    var (place, name) = (0, 0)
    while place < lines.count, name < waiting.count {
      let (end, endOfName) = (lines.endOfValue(at: place), waiting.endOfString(at: name))
      append(lines[place..<end], named: waiting[name..<endOfName], to: &output)
      output.append(Mark.lineFeed)
      // The line feeds are stepped over.
      (place, name) = (end + 1, endOfName + 1)
    }
    waiting.removeFirst(min(name, waiting.count))
    return output
  }

  private func append(_ record: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, to output: inout [UInt8]) {
    let value = JSONValue(validated: record)
    if value[key] != nil, let changed = value.setting(key, to: JSONValue(validated: name)) {
      output += changed.bytes
      return
    }
    output += opening
    output += name
    if value.kind != .object {
      output += #","value":"#.utf8
      output += record
      output.append(Mark.closeObject)
    } else {
      if record.count > 2 { output.append(Mark.comma) }
      output += record.dropFirst()
    }
  }
}
