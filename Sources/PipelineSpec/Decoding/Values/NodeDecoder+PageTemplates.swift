// Decodes `contentIdentifier`.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func contentIdentifier(_ node: Node) -> Template? {
    let advice = "write 'items', or '/data/items'"
    guard let template = template(node, .request, expected: "a root key or a JSON Pointer", advice: advice) else {
      return nil
    }
    // RFC 6901 §3.
    guard let shape = template.pointerShape, JSONPath(pointer: shape) == nil else { return template }
    refuse("'~' in a JSON Pointer is '~0' or '~1'", at: node.range, advice: "'~0' is '~', '~1' is '/'")
    return nil
  }
}

extension Template {
  /// The text as a JSON Pointer, if it begins with `/`.
  ///
  /// A letter replaces each hole, since a hole is a piece of a name.
  var pointerShape: String? {
    guard case .text(let start)? = pieces.first, start.utf8.first == UInt8(ascii: "/") else { return nil }
    return pieces.map { piece in
      if case .text(let text) = piece { text } else { "x" }
    }.joined()
  }
}
