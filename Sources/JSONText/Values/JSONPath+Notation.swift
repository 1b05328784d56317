// The notation of paths: names joined by dots, `*` for every element or member, `["any name"]` for other names.

extension JSONPath: LosslessStringConvertible {
  /// Nil for a text that is not a path.
  package init?(_ text: String) {
    var steps: [JSONStep] = []
    var rest = text.unicodeScalars[...]
    var needsStep = true
    while let scalar = rest.first {
      if scalar == "[" {
        guard let quote = rest.dropFirst().first, quote == "\"" || quote == "'",
          let end = rest.dropFirst(2).firstIndex(of: quote), rest[rest.index(after: end)...].first == "]"
        else { return nil }
        let name = String(String.UnicodeScalarView(rest.dropFirst(2)[..<end]))
        steps.append(JSONStep(name))
        rest = rest[end...].dropFirst(2)
        needsStep = false
      } else {
        if !steps.isEmpty {
          guard scalar == "." else { return nil }
          rest = rest.dropFirst()
        }
        let word = rest.prefix { $0.value >= 0x80 || $0 == "*" || Self.isWord($0) }
        guard !word.isEmpty else { return nil }
        rest = rest[word.endIndex...]
        let name = String(String.UnicodeScalarView(word))
        guard name == "*" || !name.contains("*") else { return nil }
        steps.append(name == "*" ? .every : JSONStep(name))
        needsStep = false
      }
    }
    guard !needsStep else { return nil }
    self.steps = steps
  }

  package var description: String {
    steps.reduce(into: "") { text, step in
      let isPlain =
        step.isEvery || !step.name.isEmpty && step.name.unicodeScalars.allSatisfy { $0.value >= 0x80 || Self.isWord($0) }
      if isPlain { text += text.isEmpty ? step.name : "." + step.name } else { text += "[\"\(step.name)\"]" }
    }
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }
}
