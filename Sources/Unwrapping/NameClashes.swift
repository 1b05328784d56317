// Names of one object that become the same: who reads the record then would see one of their values, and not know of the
// others.

import JSONText

/// What names have become so far, which tells at little cost where a closer look is due.
struct StyledNames: Sendable {
  /// A server that sends values for names gets the closer look.
  private static let most = 4_096

  /// By what a name became: the first name that did.
  private var sources: [[UInt8]: [UInt8]] = [:]
  /// Of what names became: bits by their marks.
  private var marks = [UInt64](repeating: 0, count: 64)
  /// Whether different names became the same, not necessarily in one object; or too many to know.
  private(set) var isContested = false

  /// Takes note of a name, and what it becomes, both without quotes. True where that is news: the same name may stand before
  /// it in the record.
  mutating func note(_ name: [UInt8], becoming styled: [UInt8]) -> Bool {
    if let source = sources[styled] {
      if source != name { isContested = true }
      return false
    }
    guard sources.count < Self.most else {
      isContested = true
      return true
    }
    sources[styled] = name
    let mark = Self.mark(of: styled, styled.indices)
    marks[mark >> 6] |= 1 << UInt64(mark & 63)
    return true
  }

  /// Whether another name became this one, which stands there with its quotes.
  func has(_ name: Range<Int>, in text: [UInt8]) -> Bool {
    let name = name.lowerBound + 1..<name.upperBound - 1
    let mark = Self.mark(of: text, name)
    return marks[mark >> 6] & 1 << UInt64(mark & 63) != 0 && sources[Array(text[name])] != nil
  }

  /// Of length and a few letters: other names may have it too.
  private static func mark(of text: [UInt8], _ name: Range<Int>) -> Int {
    guard let last = name.last else { return 0 }
    let (start, middle) = (Int(text[name.lowerBound]), Int(text[name.lowerBound + name.count / 2]))
    return (name.count &* 31 &+ start &* 7 &+ middle &* 61 &+ Int(text[last]) &* 13) & 4_095
  }
}

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
