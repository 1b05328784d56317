// Names of one object that become the same: who reads the record then would see one of their values, and not know of the
// others.

import JSONText

/// A closer look at one record, whose tokens of every depth are known.
struct NameClashes {
  private struct Container {
    /// Names that members of it get, and where the names stand that they have.
    var names: [String: Range<Int>] = [:]
    let isObject: Bool
    /// The way to what is inside of it.
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

  /// - Parameter closing: the number of the record's last bracket.
  /// - Throws: the first name of the record that two others become.
  mutating func check(upTo closing: Int) throws(ModelError) {
    for number in record.opening..<closing {
      let place = record.place(number)
      switch record.text[place] {
      case Mark.openObject: open.append(Container(isObject: true))
      case Mark.openArray: open.append(Container(isObject: false))
      case Mark.comma: open[open.count - 1].index += 1
      case Mark.colon: try take(record.place(number - 1) + 1..<place)
      default: open.removeLast()
      }
    }
  }

  /// A name that is there twice stays so: that is the server's own doing.
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
