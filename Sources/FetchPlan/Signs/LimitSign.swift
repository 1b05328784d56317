// Signs of a rate limit in the error that an answer with a successful status reports.

package import JSONText
import PipelineSpec
package import Wire

/// The place in a body at which an error names a rate limit, and the word by which it does.
package struct LimitSign: Hashable, Sendable {
  package let path: JSONPath
  /// The word as the server spells it: `THROTTLED`.
  package let word: String

  private static let words = ["throttled", "rate limit", "ratelimit", "rate_limit", "too many requests"]
  private static let mostDepth = 8

  /// Finds the first text that names a limit among the values that a page captured at these paths; nil if there is none.
  package init?(at paths: [JSONPath], in page: PageFacts) {
    let found = paths.lazy.compactMap { path in
      page.body.captured[path.description].flatMap {
        Self(in: JSONValue(validated: $0[...]), at: path.steps.map(\.name))
      }
    }
    guard let first = found.first else { return nil }
    self = first
  }

  private init?(in value: JSONValue, at names: [String]) {
    guard names.count <= Self.mostDepth else { return nil }
    let inner: LimitSign?
    switch value.kind {
    case .string:
      inner = Self.word(in: value.string ?? "").map { LimitSign(path: JSONPath(names), word: $0) }
    case .object:
      inner = value.members.lazy.compactMap { LimitSign(in: $0.value, at: names + [$0.name]) }.first
    case .array:
      inner = value.elements.lazy.enumerated().compactMap { LimitSign(in: $1, at: names + ["\($0)"]) }.first
    case .number, .boolean, .null:
      inner = nil
    }
    guard let inner else { return nil }
    self = inner
  }

  private init(path: JSONPath, word: String) {
    (self.path, self.word) = (path, word)
  }

  /// Returns the first of the words in the spelling of the text.
  private static func word(in text: String) -> String? {
    let bytes = Array(text.utf8)
    let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return words.lazy.compactMap { word in
      lower.firstRange(of: Array(word.utf8)).map { String(decoding: bytes[$0], as: UTF8.self) }
    }.first
  }
}

extension Condition {
  /// Returns the sign of a rate limit in the values of the body that the condition reads; nil if there is none.
  package func limitSign(in page: PageFacts) -> LimitSign? {
    LimitSign(at: bodyPaths, in: page)
  }
}
