// Finds names of one object that become equal when they are rewritten. A reader of the record would see one of their
// values and lose the others.

import JSONText

/// Full check of one record for names that become equal; its token index must cover every depth.
struct NameClashes {
  private struct Container {
    /// New names of the container's members, each with the range of its old name.
    var names: [String: Range<Int>] = [:]
    let isObject: Bool
    /// Current step into the container, as key path text.
    var step: String { isObject ? member : KeyPathText.element(index) }
    var member = ""
    var index = 0
  }

  private let record: TokenedRecord
  private let style: Shape.Keys
  private var open: [Container] = []

  init(in record: TokenedRecord, style: Shape.Keys) {
    self.record = record
    self.style = style
  }

  /// Checks every name from the record's first token to its last bracket.
  ///
  /// - Parameter closing: token number of the record's last bracket.
  /// - Throws: the first new name that two different names of one object become.
  mutating func check(upTo closing: Int) throws(ModelError) {
    for number in record.opening..<closing {
      let place = record.place(number)
      switch record.text[place] {
      case JSONByte.openObject: open.append(Container(isObject: true))
      case JSONByte.openArray: open.append(Container(isObject: false))
      case JSONByte.comma: open[open.count - 1].index += 1
      case JSONByte.colon: try take(record.place(number - 1) + 1..<place)
      default: open.removeLast()
      }
    }
  }

  /// A name that the server sent twice is no clash.
  private mutating func take(_ place: Range<Int>) throws(ModelError) {
    guard let name = name(at: place) else { return }
    let styled = style.mayChange(place, in: record.text) ? style.styled(name) : name
    let last = open.count - 1
    open[last].member = KeyPathText.member(styled)
    guard let other = open[last].names.updateValue(place, forKey: styled), self.name(at: other) != name else { return }
    throw ModelError(
      keyPath: KeyPathText.joined(open.map(\.step)),
      expected: "one member of this name after 'decode' (without 'keys' both stay)",
      found: "\(excerpt(of: record.text, other)) and \(excerpt(of: record.text, place))")
  }

  private func name(at place: Range<Int>) -> String? { JSONValue(validated: record.text[place]).string }
}
