// Writes objects that are written often: member by member into one buffer, without a `JSONValue` for any of them.

/// Writes the members of a JSON object.
package struct MemberWriter {
  private var text: [UInt8] = []
  private var isFirst = true

  /// Returns the object with the members that `write` adds.
  package static func object(_ write: (inout MemberWriter) -> Void) -> JSONValue {
    JSONValue(validated: text(write)[...])
  }

  /// Returns the object with the members that `write` adds, and a line feed.
  package static func line(_ write: (inout MemberWriter) -> Void) -> [UInt8] {
    text(write) + CollectionOfOne(UInt8(ascii: "\n"))
  }

  private static func text(_ write: (inout MemberWriter) -> Void) -> [UInt8] {
    var writer = MemberWriter()
    writer.text.reserveCapacity(512)
    writer.nest(write)
    return writer.text
  }

  /// Adds a member.
  ///
  /// - Parameter name: a name that needs no escapes, as for all overloads.
  package mutating func add(_ name: StaticString, _ value: Int) {
    begin(name)
    append(value)
  }

  package mutating func add(_ name: StaticString, _ value: JSONValue) {
    begin(name)
    text += value.bytes
  }

  package mutating func add(_ name: StaticString, _ values: [Int]) {
    begin(name)
    list(values.count) { $1.append(values[$0]) }
  }

  package mutating func add(_ name: StaticString, _ write: (inout MemberWriter) -> Void) {
    begin(name)
    nest(write)
  }

  /// Adds an array of `count` objects.
  ///
  /// The elements are no generic values, since generic code is not specialized across modules.
  package mutating func add(_ name: StaticString, count: Int, _ write: (Int, inout MemberWriter) -> Void) {
    begin(name)
    list(count) { (index, writer) in writer.nest { write(index, &$0) } }
  }

  private mutating func list(_ count: Int, _ write: (Int, inout MemberWriter) -> Void) {
    text.append(UInt8(ascii: "["))
    for index in 0..<count {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      write(index, &self)
    }
    text.append(UInt8(ascii: "]"))
  }

  private mutating func nest(_ write: (inout MemberWriter) -> Void) {
    text.append(UInt8(ascii: "{"))
    isFirst = true
    write(&self)
    isFirst = false
    text.append(UInt8(ascii: "}"))
  }

  private mutating func begin(_ name: StaticString) {
    if !isFirst { text.append(UInt8(ascii: ",")) }
    isFirst = false
    text.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { text += $0 }
    text.append(UInt8(ascii: "\""))
    text.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ value: Int) {
    if value < 0 { text.append(UInt8(ascii: "-")) }
    let start = text.count
    var rest = value.magnitude
    repeat {
      text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var (low, high) = (start, text.count - 1)
    while low < high {
      text.swapAt(low, high)
      (low, high) = (low + 1, high - 1)
    }
  }
}
