// `key: currency`: puts the name of each member of a map into the record that is its value.

import JSONText

/// Puts a member in front of each record.
///
/// If an object already has the member, its value is replaced in place. A record that is no object becomes
/// `{KEY: …, "value": …}`.
struct Naming: Sendable {
  private let key: String
  /// The bytes `{"KEY":`.
  private let opening: [UInt8]
  /// Names whose records have not arrived yet, each with its line feed.
  private var waiting: [UInt8] = []

  init(key: String) {
    self.key = key
    opening = [JSONByte.openObject] + key.quotedJSON + [JSONByte.colon]
  }

  /// Returns the lines with their names put in.
  ///
  /// - Parameters:
  ///   - lines: whole lines.
  ///   - names: JSON strings, one a line, for the records in order, from the first record that has no name yet.
  mutating func named(_ lines: [UInt8], _ names: [UInt8]) -> [UInt8] {
    waiting += names
    var output: [UInt8] = []
    output.reserveCapacity(lines.count + waiting.count)
    var (place, name) = (0, 0)
    while place < lines.count, name < waiting.count {
      let (end, endOfName) = (lines.endOfValue(at: place), waiting.endOfString(at: name))
      append(lines[place..<end], named: waiting[name..<endOfName], to: &output)
      output.append(JSONByte.lineFeed)
      // `+ 1` skips the line feeds.
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
      output.append(JSONByte.closeObject)
    } else {
      if record.count > 2 { output.append(JSONByte.comma) }
      output += record.dropFirst()
    }
  }
}
