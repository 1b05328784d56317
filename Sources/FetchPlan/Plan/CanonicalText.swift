// A text of decoded values that does not depend on their position in the source.

import Diagnostics
import JSONText
import PipelineSpec

/// Text of a value of a spec that is the same in every process, and differs for every other value.
///
/// The parts of a value are found by reflection, so that a new property of a part is compared from its first day on.
/// Positions and missing values are left out.
struct CanonicalText {
  let text: String

  /// Nil for a value that is missing, and for a position.
  init?(of value: Any) {
    guard type(of: value) != SourcePosition.self, let text = Self.leaf(value) ?? Self.node(value) else { return nil }
    self.text = text
  }

  /// Returns the text of a value with a form of its own.
  private static func leaf(_ value: Any) -> String? {
    if let text = exact(value, String.self) { return JSONValue(text).text }
    if let flag = exact(value, Bool.self) { return flag ? "true" : "false" }
    if let number = exact(value, Int.self) { return String(number) }
    if let json = exact(value, JSONValue.self) { return json.text }
    if let template = exact(value, Template.self) { return text(of: template) }
    // The text of the number is sent, not its spelling.
    if let value = exact(value, TemplateValue.self), case .constant(let json, _) = value { return json.text }
    if type(of: value) == Poll.self { return node(value, without: changeableOfPoll) }
    return nil
  }

  private static let changeableOfPoll = Set(SpecKeys.poll.filter(\.mayChange).map(\.name))

  /// Casts a value to its own type; a cast to another one would search all conformances of the process.
  private static func exact<Value>(_ value: Any, _ type: Value.Type) -> Value? {
    Swift.type(of: value) == type ? value as? Value : nil
  }

  private static func text(of template: Template) -> String {
    let pieces = template.pieces.map { piece in
      switch piece {
      case .text(let text): JSONValue(text).text
      case .hole(let hole): text(of: hole)
      }
    }
    return "(\(pieces.joined()))"
  }

  /// Returns the text of a hole, whatever its spelling: `${record.id}` and `${record['id']}` are the same.
  static func text(of hole: Template.Hole) -> String {
    "${\(node(hole, without: ["spelling"]) ?? hole.spelling)}"
  }

  private static func node(_ value: Any, without changeable: Set<String> = []) -> String? {
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.filter { !changeable.contains($0.label ?? "") }.compactMap { child in
      CanonicalText(of: child.value).map { "\(child.label.map { $0 + ":" } ?? "")\($0.text)" }
    }
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.flatMap { CanonicalText(of: $0.value)?.text }
    case .collection: return "[\(parts.joined(separator: ","))]"
    case .set, .dictionary: return "{\(parts.sorted().joined(separator: ","))}"
    case .struct, .tuple, .enum: return mirror.children.isEmpty ? "\(value)" : "(\(parts.joined(separator: ",")))"
    default: return "\(value)"
    }
  }
}
