// `each`: input records from the spec itself, made as they are asked for.

package import JSONText
import PipelineSpec

/// Records from `each`: every combination of the axes' values, the last axis fastest.
package struct EachRecords: Sequence, IteratorProtocol, Sendable {
  private let axes: [(name: String, values: AxisValues)]
  /// Where each axis stands; nil after the last record.
  private var positions: [UInt]?

  init(_ each: Each, in scope: Scope) throws(ParameterFault) {
    var axes: [(name: String, values: AxisValues)] = []
    for axis in each.axes { axes.append((axis.name, try AxisValues(axis, in: scope))) }
    self.axes = axes
    let hasRecords = !axes.isEmpty && axes.allSatisfy { $0.values.last != nil }
    positions = hasRecords ? axes.map { _ in 0 } : nil
  }

  package mutating func next() -> JSONValue? {
    guard let positions else { return nil }
    let members = zip(axes, positions).map { (name: $0.name, value: $0.values[$1]) }
    self.positions = following(positions)
    return JSONValue(members: members)
  }

  /// As an odometer counts.
  private func following(_ positions: [UInt]) -> [UInt]? {
    var positions = positions
    for index in positions.indices.reversed() {
      if let last = axes[index].values.last, positions[index] < last {
        positions[index] += 1
        return positions
      }
      positions[index] = 0
    }
    return nil
  }
}

/// The values of one axis, by their position.
private enum AxisValues: Sendable {
  case list([JSONValue])
  case span(Span)

  /// The last position; nil when there is none.
  var last: UInt? {
    switch self {
    case .list(let values): values.isEmpty ? nil : UInt(values.count - 1)
    case .span(let span): span.last
    }
  }

  subscript(position: UInt) -> JSONValue {
    switch self {
    case .list(let values): values[Int(position)]
    case .span(let span): span[position]
    }
  }

  init(_ axis: Each.Axis, in scope: Scope) throws(ParameterFault) {
    switch axis.values {
    case .list(let values):
      var list: [JSONValue] = []
      for value in values {
        if let json = try value.json(in: scope) { list.append(json.value) }
      }
      self = .list(list)
    case .span(let from, let to, let step):
      let bounds = (try Self.bound(from, axis, scope), try Self.bound(to, axis, scope))
      do {
        self = .span(try Span(from: bounds.0, to: bounds.1, step: step))
      } catch {
        throw axis.fault(error.problem, from, to, scope)
      }
    }
  }

  private static func bound(
    _ value: TemplateValue, _ axis: Each.Axis, _ scope: Scope
  ) throws(ParameterFault) -> MaskedJSON {
    if let json = try value.json(in: scope) { return json }
    throw axis.fault("'\(axis.name)' has no end: its template is missing", value, value, scope)
  }
}

extension Each.Axis {
  fileprivate func fault(
    _ problem: String, _ from: TemplateValue, _ to: TemplateValue, _ scope: Scope
  ) -> ParameterFault {
    let template = (from.templates + to.templates).first { !$0.holes.isEmpty }
    return scope.fault(template ?? Template(pieces: [.text(name)], place: place), problem)
  }
}

/// Whole numbers from one to another, and how they are written: as themselves, as dates or as times.
private struct Span: Sendable {
  struct Fault: Error {
    let problem: String
  }

  enum Unit: String {
    case integer = "a whole number"
    case date = "a date"
    case time = "a time"
  }

  private let unit: Unit
  private let from: Int
  private let step: UInt
  /// The last position; nil when the end is before the start.
  let last: UInt?

  init(from: MaskedJSON, to: MaskedJSON, step: String?) throws(Fault) {
    let (first, last) = (try Self.bound(from), try Self.bound(to))
    guard first.unit == last.unit else {
      let problem = "'from' is \(first.unit.rawValue) and 'to' is \(last.unit.rawValue); both are of one kind"
      throw Fault(problem: problem)
    }
    unit = first.unit
    self.from = first.number
    self.step = try Self.step(step, unit)
    // The distance of two `Int`s fits a `UInt`, whatever their signs.
    let distance = UInt(bitPattern: last.number &- first.number)
    self.last = last.number < first.number ? nil : distance / self.step
  }

  /// At most `last`, so what wraps on the way comes back.
  subscript(position: UInt) -> JSONValue {
    let number = Int(bitPattern: UInt(bitPattern: from) &+ position &* step)
    switch unit {
    case .integer: return JSONValue(number)
    case .date: return Instant(seconds: number).map { JSONValue($0.date) } ?? .null
    case .time: return Instant(seconds: number).map { JSONValue($0.time) } ?? .null
    }
  }

  private static func bound(_ json: MaskedJSON) throws(Fault) -> (unit: Unit, number: Int) {
    if let number = json.value.integer { return (.integer, number) }
    let text = json.value.string ?? ""
    if let date = Instant(date: text) { return (.date, date.seconds) }
    if let time = Instant(time: text) { return (.time, time.seconds) }
    // A parameter from the command line is text.
    if let number = Int(text) { return (.integer, number) }
    let problem = "\(json.shown.text) is no date (2024-01-31), time (2024-01-31T00:00:00Z) or whole number"
    throw Fault(problem: problem)
  }

  private static let seconds = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

  private static func step(_ text: String?, _ unit: Unit) throws(Fault) -> UInt {
    guard let text else {
      if unit == .time { throw Fault(problem: "a span of times needs a 'step', such as 1h or 1d") }
      return unit == .date ? UInt(Instant.day) : 1
    }
    let digits = text.utf8.prefix { (48...57).contains($0) }.count
    let letters = String(text.dropFirst(digits))
    guard let number = Int(text.prefix(digits)), number > 0 else { throw Fault(problem: "a 'step' is more than 0") }
    if unit == .integer, letters.isEmpty { return UInt(number) }
    guard unit != .integer, let factor = seconds[letters] else {
      throw Fault(
        problem: unit == .integer ? "a step over whole numbers has no unit" : "a 'step' is such as 1h, 1d or 1w")
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { throw Fault(problem: "the 'step' is too large") }
    guard unit == .time || product % Instant.day == 0 else {
      throw Fault(problem: "a step over dates is in days or weeks, such as 1d or 1w")
    }
    return UInt(product)
  }
}
