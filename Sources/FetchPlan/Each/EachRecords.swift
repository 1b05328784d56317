// `each`: input records from the spec itself, created on demand.

package import JSONText
import PipelineSpec
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
        template: "each", place: "\(scope.specName):\(each.axes[0].place)",
        problem: "the input record is no object, to which members could be added: \(kind.rawValue)")
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

  /// A warning for each span whose windows may leave out events of their last second.
  package var lossyWindows: [String] { axes.compactMap(\.lossyWindow) }

  /// Members whose span begins with the whole day of the mark, so that records of that day are fetched again.
  package var repeatedDays: [String] { axes.filter(\.repeatsDay).map(\.name) }

  package mutating func next() -> JSONValue? {
    guard let positions else { return nil }
    let members = zip(axes, positions).flatMap { $0.members(at: $1) }
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
    /// Values of a span, with members for the ends of their windows if the spec names these.
    case span(EachSpan, end: String?, before: String?)
  }

  let name: String
  private let values: Values
  private let readsMark: Bool

  /// Last position; nil if the axis has no values.
  var last: UInt? {
    switch values {
    case .list(let values): values.isEmpty ? nil : UInt(values.count - 1)
    case .span(let span, _, _): span.last
    }
  }

  func members(at position: UInt) -> [(name: String, value: JSONValue)] {
    switch values {
    case .list(let values): return [(name, values[Int(position)])]
    case .span(let span, let end, let before):
      let start = [(name: name, value: span[position])]
      return start + (end.map { [($0, span.end(of: position))] } ?? [])
        + (before.map { [($0, span.limit(of: position))] } ?? [])
    }
  }

  init(_ axis: Each.Axis, in scope: TemplateScope) throws(ParameterError) {
    name = axis.name
    readsMark = axis.templates.contains { $0.names(.since) }
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
        self.values = .span(values, end: span.end, before: span.before)
      } catch {
        let step = error.culprit == .step ? span.step.map { TemplateValue.string($0) } : nil
        throw axis.fault(error.problem, step ?? (error.culprit == .to ? span.to : span.from), span.to, scope)
      }
    }
  }

  /// A warning if the windows may leave out events of their last second.
  var lossyWindow: String? {
    guard case .span(let span, let end?, nil) = values, span.losesFractions else { return nil }
    return Job.warning(ofLossyWindows: end, span.form)
  }

  /// True if the span begins with the whole day of the mark.
  var repeatsDay: Bool {
    if case .span(let span, _, _) = values { readsMark && span.beginsWithDayOfTime } else { false }
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
    return scope.fault(template ?? Template(pieces: [.text(name)], place: place), problem)
  }
}

extension TemplateValue {
  /// True if the value is one whole parameter; if that is a list, its elements are the values.
  fileprivate var isListParameter: Bool {
    guard case .string(let template) = self, let hole = template.onlyHole else { return false }
    return hole.root == .param && hole.separator == nil
  }
}
