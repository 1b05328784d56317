// The reader of `contentIdentifier`.

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func contentIdentifier(_ node: Node) -> Template? {
    guard let template = template(node, .request, expected: "a root key or a JSON Pointer") else { return nil }
    guard case .text(let start)? = template.pieces.first, start.utf8.first == UInt8(ascii: "/") else { return template }
    // A hole stands for one whole piece of a name; any letter does for it.
    let shape = template.pieces.map { piece in
      if case .text(let text) = piece { text } else { "x" }
    }.joined()
    return pointer(shape, node) == nil ? nil : template
  }

  /// The path of a pointer (RFC 6901 §3). `*` means nothing yet, and is refused so that it can come to mean something.
  private mutating func pointer(_ text: String, _ node: Node) -> JSONPath? {
    guard let path = JSONPath(pointer: text) else {
      refuse("'~' in a JSON Pointer is '~0' or '~1'", at: node.range, advice: "'~0' is '~', '~1' is '/'")
      return nil
    }
    guard !path.steps.contains(where: { $0.name == "*" }) else {
      refuse(
        "'*' in a JSON Pointer is not understood", at: node.range, advice: "name the member or the element's number")
      return nil
    }
    return path
  }
}
