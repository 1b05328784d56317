// `each`: input records from the spec itself, created on demand.

package import JSONText
import PipelineSpec

/// Records from `each`: every combination of the axes' values; the last axis changes fastest.
package struct EachRecords: Sequence, IteratorProtocol, Sendable {
  private let axes: [AxisValues]
  /// Position on each axis; nil after the last record.
  private var positions: [UInt]?

  init(_ each: Each, in scope: TemplateScope) throws(ParameterError) {
    var axes: [AxisValues] = []
    for axis in each.axes { axes.append(try AxisValues(axis, in: scope)) }
    self.axes = axes
    let hasRecords = !axes.isEmpty && axes.allSatisfy { $0.last != nil }
    positions = hasRecords ? axes.map { _ in 0 } : nil
  }

  package mutating func next() -> JSONValue? {
    guard let positions else { return nil }
    let members = zip(axes, positions).flatMap { $0.members(at: $1) }
    self.positions = following(positions)
    return JSONValue(members: members)
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
    case span(EachSpan)
    /// Pairs of a value and the last value before the next one; the second has its own name.
    case windows(EachSpan, end: String)
  }

  private let name: String
  private let values: Values

  /// Last position; nil if the axis has no values.
  var last: UInt? {
    switch values {
    case .list(let values): values.isEmpty ? nil : UInt(values.count - 1)
    case .span(let span), .windows(let span, _): span.last
    }
  }

  func members(at position: UInt) -> [(name: String, value: JSONValue)] {
    switch values {
    case .list(let values): [(name, values[Int(position)])]
    case .span(let span): [(name, span[position])]
    case .windows(let span, let end): [(name, span[position]), (end, span.end(of: position))]
    }
  }

  init(_ axis: Each.Axis, in scope: TemplateScope) throws(ParameterError) {
    name = axis.name
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
    case .span(let from, let to, let step, let end):
      let bounds = (try Self.bound(from, axis, scope), try Self.bound(to, axis, scope, isEnd: true))
      do {
        let span = try EachSpan(from: bounds.0, to: bounds.1, step: step)
        values = end.map { .windows(span, end: $0) } ?? .span(span)
      } catch {
        throw axis.fault(error.problem, error.isOfEnd ? to : from, to, scope)
      }
    }
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
    throw axis.fault("'\(axis.name)' has no end: its template is missing", value, value, scope)
  }
}

extension Each.Axis {
  fileprivate func fault(
    _ problem: String, _ from: TemplateValue, _ to: TemplateValue, _ scope: TemplateScope
  ) -> ParameterError {
    let template = (from.templates + to.templates).first { !$0.holes.isEmpty }
    return scope.fault(template ?? Template(pieces: [.text(name)], place: place), problem)
  }
}

extension TemplateValue {
  /// Whether the value is a parameter and nothing else, whose list stands for its elements.
  fileprivate var isListParameter: Bool {
    if case .string(let template) = self { template.onlyHole?.root == .param } else { false }
  }
}
