// `each`: input records from the spec itself, created on demand.

import Diagnostics
package import JSONText
import PipelineSpec
import Primitives
import Wire

/// Records from `each`: every combination of the axes' values; the last axis changes fastest.
package struct EachRecords: Sequence, IteratorProtocol, Sendable {
  private let axes: [AxisValues]
  /// Input record to which the members are added; nil for records of their own.
  private let record: JSONValue?
  /// Position on each axis; nil after the last record.
  private var positions: [UInt]?

  /// - Parameter isAdded: whether the members are added to the scope's record, which is then an object.
  init(_ each: Each, in scope: TemplateScope, isAdded: Bool = false) throws(ParameterError) {
    // With the list in it, each element's record would be as long as all of them.
    let lists = each.axes.compactMap(\.listName)
    record = isAdded ? scope.record.map { $0.withoutMembers(named: lists) } : nil
    if isAdded, let kind = scope.record?.kind, kind != .object {
      throw ParameterError(
        template: "each", position: "\(scope.specName):\(each.axes[0].position)",
        problem: "the input record is not an object, to which members could be added: \(kind.rawValue)")
    }
    var axes: [AxisValues] = []
    for axis in each.axes { axes.append(try AxisValues(axis, in: scope)) }
    self.axes = axes
    let hasRecords = !axes.isEmpty && axes.allSatisfy { $0.last != nil }
    positions = hasRecords ? axes.map { _ in 0 } : nil
  }

  /// Number of records; `UInt.max` if there are more.
  package var count: UInt {
    guard positions != nil else { return 0 }
    return axes.reduce(1) { count, axis in
      let (length, isLong) = (axis.last ?? 0).addingReportingOverflow(1)
      let (product, isOver) = count.multipliedReportingOverflow(by: length)
      return isLong || isOver ? .max : product
    }
  }

  /// A warning for each span of these names whose windows may leave out events of their last second.
  package func lossyWindows(of names: Set<String>) -> [String] {
    axes.filter { names.contains($0.name) }.compactMap(\.lossyWindow)
  }

  /// Members whose span begins with the whole day of the mark, so that records of that day are fetched again.
  package var repeatedDays: [String] { axes.filter(\.repeatsDay).map(\.name) }

  package mutating func next() -> JSONValue? {
    guard let positions else { return nil }
    let members = zip(axes, positions).map { (name: $0.name, value: $0.value(at: $1)) }
    self.positions = following(positions)
    guard let record else { return JSONValue(members: members) }
    return members.reduce(record) { $0.setting($1.name, to: $1.value) ?? $0 }
  }

  /// Returns the next positions, in the order of an odometer.
  private func following(_ positions: [UInt]) -> [UInt]? {
    var positions = positions
    for index in positions.indices.reversed() {
      if let last = axes[index].last, positions[index] < last {
        positions[index] += 1
        return positions
      }
      positions[index] = 0
    }
    return nil
  }
}

/// The values of one axis, by their position.
private struct AxisValues: Sendable {
  private enum Values: Sendable {
    case list([JSONValue])
    case span(EachSpan, isWindow: Bool)
  }

  let name: String
  private let values: Values
  private let readsMark: Bool
  private let splits: Bool

  /// Last position; nil if the axis has no values.
  var last: UInt? {
    switch values {
    case .list(let values): values.isEmpty ? nil : UInt(values.count - 1)
    case .span(let span, _): span.last
    }
  }

  func value(at position: UInt) -> JSONValue {
    switch values {
    case .list(let values): return values[Int(position)]
    case .span(let span, isWindow: false): return span[position]
    case .span(let span, isWindow: true): return span.window(at: position)
    }
  }

  init(_ axis: Each.Axis, in scope: TemplateScope) throws(ParameterError) {
    name = axis.name
    readsMark = axis.templates.contains { $0.names(.since) }
    splits = if case .span(let span) = axis.values { span.splits } else { false }
    switch axis.values {
    case .list(let values):
      var list: [JSONValue] = []
      for value in values {
        guard let json = try value.json(in: scope) else { continue }
        // A parameter that is a list has its elements among the values.
        if value.isListParameter, json.value.kind == .array {
          list += json.value.elements
        } else {
          list.append(json.value)
        }
      }
      self.values = .list(list)
    case .elements(let template):
      let found = try template.onlyHole?.reading(in: scope)?.value ?? .null
      guard [.array, .null].contains(found.kind) else {
        throw scope.fault(template, "expected a list, found \(found.kind.rawValue)")
      }
      self.values = .list(Array(found.elements))
    case .span(let span):
      let bounds = (try Self.bound(span.from, axis, scope), try Self.bound(span.to, axis, scope, isEnd: true))
      let step = try span.step.flatMap { (step) throws(ParameterError) in try step.text(in: scope)?.text }
      do throws(EachSpan.SpanError) {
        let values = try EachSpan(from: bounds.0, to: bounds.1, step: step, form: span.form)
        if values.last == nil, values.isOfTimes, axis.isFixed(in: scope) {
          throw EachSpan.SpanError(
            problem: "'from' of '\(axis.name)' in 'each' (\(bounds.0.redacted.text)) is after 'to' "
              + "(\(bounds.1.redacted.text)), so that nothing would be fetched",
            culprit: .to)
        }
        self.values = .span(values, isWindow: span.isWindow)
      } catch {
        let step = error.culprit == .step ? span.step.map { TemplateValue.string($0) } : nil
        throw axis.fault(error.problem, step ?? (error.culprit == .to ? span.to : span.from), span.to, scope)
      }
    }
  }

  /// A warning if the windows may leave out events of their last second.
  var lossyWindow: String? {
    guard case .span(let span, isWindow: true) = values, span.losesFractions(isSplit: splits) else { return nil }
    return Job.warning(ofLossyWindows: name, span.form)
  }

  /// True if the span begins with the whole day of the mark.
  var repeatsDay: Bool {
    if case .span(let span, _) = values { readsMark && span.beginsWithDayOfTime } else { false }
  }

  private static func bound(
    _ value: TemplateValue, _ axis: Each.Axis, _ scope: TemplateScope, isEnd: Bool = false
  ) throws(ParameterError) -> RedactableJSON {
    if let json = try value.json(in: scope) {
      // A mark may have a fraction. A record that comes twice is better than one that is lost.
      guard json.value.kind == .number, value.templates.contains(where: { $0.names(.since) }),
        let whole = Decimal(json.value.bytes).whole(orAbove: isEnd)
      else { return json }
      return RedactableJSON(JSONValue(whole))
    }
    throw axis.fault(
      "'\(axis.name)' of 'each' has an end that is missing; give its template a default: ${…:-text}", value, value,
      scope)
  }
}

extension Each {
  /// Checks that the values that depend on `${since}`, but on no input record, can be made.
  func check(in scope: TemplateScope) throws(ParameterError) {
    for axis in axes where axis.templates.contains(where: { $0.names(.since) }) {
      if !axis.templates.contains(where: \.readsInput) { _ = try AxisValues(axis, in: scope) }
    }
  }
}

extension JSONValue {
  fileprivate func withoutMembers(named names: [String]) -> JSONValue {
    guard !names.isEmpty, kind == .object else { return self }
    return JSONValue(members: members.filter { !names.contains($0.name) }.map { ($0.name, $0.value) })
  }
}

extension Each.Axis {
  /// True if nothing but the spec and its parameters decides the span: no saved mark, which may be the newest there is,
  /// no input record, and no clock.
  fileprivate func isFixed(in scope: TemplateScope) -> Bool {
    let readsSavedMark = scope.since?.isStart != true && templates.contains { $0.names(.since) }
    let readsClock = templates.contains { template in [.now, .today, .epoch].contains { template.names($0) } }
    return !readsSavedMark && !readsClock && !templates.contains(where: \.readsInput)
  }

  fileprivate func fault(
    _ problem: String, _ from: TemplateValue, _ to: TemplateValue, _ scope: TemplateScope
  ) -> ParameterError {
    let template = (from.templates + to.templates).first { !$0.holes.isEmpty }
    return scope.fault(template ?? Template(pieces: [.text(name)], position: position), problem)
  }
}

extension TemplateValue {
  /// True if the value is one whole parameter; if that is a list, its elements are the values.
  fileprivate var isListParameter: Bool {
    guard case .string(let template) = self, let hole = template.onlyHole else { return false }
    return hole.root == .param && hole.separator == nil
  }
}

/// An end of a span.
struct EachBound: Sendable {
  enum Unit: String {
    case integer = "a whole number"
    case date = "a date"
    case time = "a time"
  }

  let unit: Unit
  let number: Int
  /// Digits without zeros at their end, so that fractions sort by their digits.
  private(set) var fraction = ""
  /// Number of digits of the fraction, as it is spelled.
  private(set) var digitCount = 0
  /// Starts of the days that a date or a time belongs to.
  ///
  /// A time with an offset may belong to two days: its day in UTC, and the day that it is spelled with. The API may
  /// mean either, so a span includes both.
  private var days: ClosedRange<Int>

  private init(unit: Unit, number: Int) {
    (self.unit, self.number, days) = (unit, number, number...number)
  }

  private init(_ time: Timestamp, spelled text: String) {
    (unit, number, digitCount) = (.time, time.seconds, time.fraction.count)
    fraction = String(decoding: time.significantFraction, as: UTF8.self)
    let days = [time.date, CivilDate(String(text.prefix(10)))].compactMap { $0 }
      .map { $0.daysSince1970 * Timestamp.secondsPerDay }
    self.days = (days.min() ?? number)...(days.max() ?? number)
  }

  /// Reads a date, a time, a whole number, or a text of the span's own form.
  init(_ json: RedactableJSON, _ form: TimeForm?, isEnd: Bool = false) throws(EachSpan.SpanError) {
    let text = json.value.string ?? (json.value.kind == .number ? json.value.text : "")
    if let date = CivilDate(text) {
      self.init(unit: .date, number: date.daysSince1970 * Timestamp.secondsPerDay)
    } else if let time = Timestamp(rfc3339: text) ?? form?.timestamp(of: Array(text.utf8)[...]) {
      self.init(time, spelled: text)
    } else if let number = json.value.integer ?? Int(text) {
      // A parameter from the command line is text.
      self.init(unit: .integer, number: number)
    } else {
      var problem = "\(json.redacted.text) is not a date (2024-01-31), time (2024-01-31T00:00:00Z) or whole number"
      if let form { problem += ", nor a time of the form '\(form.spelling.printable)'" }
      throw EachSpan.SpanError(problem: problem, culprit: isEnd ? .to : .from)
    }
  }

  var firstDay: EachBound { EachBound(unit: .date, number: days.lowerBound) }
  var lastDay: EachBound { EachBound(unit: .date, number: days.upperBound) }

  /// Returns the start of the minute, hour, day, month or year that the bound belongs to.
  ///
  /// A bound in another unit than seconds has no fraction.
  func start(of calendarUnit: CivilShift.Unit) -> EachBound {
    guard calendarUnit != .second, let time = Timestamp(seconds: number) else { return self }
    let date = time.date
    let second = number - date.daysSince1970 * Timestamp.secondsPerDay
    let length = CivilShift(1, calendarUnit)
    let day = CivilDate(
      year: date.year, month: calendarUnit == .year ? 1 : date.month,
      day: (length?.months ?? 0) > 0 ? 1 : date.day)
    guard let day, let seconds = length?.seconds else { return self }
    let kept = seconds > 0 ? second - second % seconds : 0
    return EachBound(unit: unit, number: day.daysSince1970 * Timestamp.secondsPerDay + kept)
  }

  /// Returns the bound as a time with at most `digits` digits in its fraction; a date that ends a span includes its
  /// whole day.
  func asTime(_ digits: Int, isEnd: Bool = false) -> EachBound {
    let isWholeDay = unit == .date && isEnd
    var bound = EachBound(unit: .time, number: isWholeDay ? number + Timestamp.secondsPerDay - 1 : number)
    let kept = isWholeDay ? String(repeating: "9", count: digits) : String(fraction.prefix(digits))
    bound.fraction = String(kept.reversed().drop { $0 == "0" }.reversed())
    return bound
  }
}

/// A fraction of a second, counted in its smallest unit.
struct EachFraction {
  private let digits: [UInt8]

  init(_ fraction: String, _ digitCount: Int) {
    digits = Array(fraction.utf8) + Array(repeating: UInt8(ascii: "0"), count: max(0, digitCount - fraction.utf8.count))
  }

  /// The fraction one unit before this one, and the seconds borrowed for it (0 or 1).
  var before: (seconds: Int, fraction: String) { stepped(over: UInt8(ascii: "0"), to: UInt8(ascii: "9")) { $0 - 1 } }

  /// The fraction one unit after this one, and the seconds carried for it (0 or 1).
  var after: (seconds: Int, fraction: String) { stepped(over: UInt8(ascii: "9"), to: UInt8(ascii: "0")) { $0 + 1 } }

  private func stepped(
    over edge: UInt8, to other: UInt8, _ change: (UInt8) -> UInt8
  ) -> (seconds: Int, fraction: String) {
    var digits = digits
    var index = digits.count - 1
    while index >= 0, digits[index] == edge {
      digits[index] = other
      index -= 1
    }
    if index >= 0 { digits[index] = change(digits[index]) }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return (index < 0 ? 1 : 0, String(decoding: digits, as: UTF8.self))
  }
}
