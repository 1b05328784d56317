// Doubts about other tools' variables and placeholders, which a run would send unchanged.

extension Job {
  /// Doubts about placeholders that other tools replace: `$TOKEN`, `{{token}}`, `{id}`, `:id`.
  ///
  /// Texts of credentials, header fields and query items are not quoted, since they may be secrets.
  var placeholderDoubts: [String] {
    var doubts: [String] = []
    let values = [
      ("auth", auth?.templates ?? []), ("headers", headers.map(\.value)),
      ("query", query.flatMap(\.values).flatMap(\.templates)),
    ]
    for (key, templates) in values {
      let texts = templates.flatMap(\.texts)
      if texts.contains(where: \.hasShellVariable) {
        doubts.append("a '$NAME' in '\(key)' is sent as it stands; did you mean '${env.NAME}'?")
      }
      if texts.contains(where: \.hasDoubleBraces) {
        doubts.append("a '{{name}}' in '\(key)' is sent as it stands; did you mean '${env.NAME}' or '${param.name}'?")
      }
    }
    for (name, spelling) in endpoint?.shape.placeholders ?? [] {
      doubts.append(
        "'\(spelling)' in 'endpoint' is sent as it stands; did you mean '${record.\(name)}' or '${param.\(name)}'?")
    }
    return doubts
  }
}

extension Template {
  /// The texts between the holes.
  fileprivate var texts: [String] {
    pieces.compactMap { if case .text(let text) = $0 { text } else { nil } }
  }

  /// The text with a digit in place of each hole.
  fileprivate var shape: String {
    pieces.map { if case .text(let text) = $0 { text } else { "0" } }.joined()
  }
}

extension String {
  /// True for text with a `$` before a name in upper case, as a shell spells its variables.
  ///
  /// OData has `$filter`, in lower case.
  fileprivate var hasShellVariable: Bool {
    split(separator: "$", omittingEmptySubsequences: false).dropFirst().contains { rest in
      let name = rest.utf8.prefix { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
      return name.count > 2 && (0x41...0x5A).contains(name.first ?? 0)
    }
  }

  fileprivate var hasDoubleBraces: Bool {
    guard let opening = firstRange(of: "{{") else { return false }
    return self[opening.upperBound...].firstRange(of: "}}") != nil
  }

  /// Whole segments of a path that are `{name}`, `{{name}}` or `:name`.
  fileprivate var placeholders: [(name: String, spelling: String)] {
    prefix { $0 != "?" }.split(separator: "/").compactMap { segment in
      let name =
        segment.hasPrefix(":")
        ? segment.dropFirst()
        : segment.hasPrefix("{") && segment.hasSuffix("}") ? segment.drop { $0 == "{" }.prefix { $0 != "}" } : ""
      let isName =
        name.first?.isLetter == true && name.utf8.allSatisfy { $0 == 0x5F || $0 == 0x2D || isAlphanumeric($0) }
      return isName ? (String(name), String(segment)) : nil
    }
  }
}

private func isAlphanumeric(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
}
