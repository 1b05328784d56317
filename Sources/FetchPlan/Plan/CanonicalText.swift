// A text of decoded values that does not depend on their position in the source.

import Diagnostics
import JSONText
import PipelineSpec

/// Text of a value of a spec that is the same in every process, and differs for every other value.
///
/// The text is made by reflection, so that a new property is compared from its first day on. Positions and missing
/// values are left out.
struct CanonicalText {
  let text: String

  /// Nil for a value that is missing, and for a position.
  init?(of value: Any) {
    guard !(value is SourcePosition), let text = Self.leaf(value) ?? Self.node(value) else { return nil }
    self.text = text
  }

  /// Returns the text of a value with a form of its own.
  private static func leaf(_ value: Any) -> String? {
    switch value {
    case let text as String: JSONValue(text).text
    case let json as JSONValue: json.text
    case let template as Template:
      "("
        + template.pieces.map { piece in
          switch piece {
          case .text(let text): JSONValue(text).text
          case .hole(let hole): text(of: hole)
          }
        }.joined() + ")"
    // The text of the number is sent, not its spelling.
    case TemplateValue.constant(let json, _) as TemplateValue: json.text
    case is Poll: node(value, without: Set(SpecKeys.poll.filter(\.mayChange).map(\.name)))
    default: nil
    }
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
