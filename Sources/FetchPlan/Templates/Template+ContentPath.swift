// Content pointers with values: a value is part of one name, and can neither add segments nor be a `*`.

import JSONText
import PipelineSpec
import Wire

extension Template {
  /// Returns the path of a template that begins with `/`; the body itself if an optional value is missing.
  func contentPath(in scope: TemplateScope) throws(ParameterError) -> JSONPath {
    var segments: [Segment] = []
    for piece in pieces {
      switch piece {
      case .text(let text):
        for (index, part) in text.slashSeparated.enumerated() {
          if index > 0 { segments.append(Segment()) }
          guard !segments.isEmpty else { continue }
          segments[segments.count - 1].spelling += part
        }
      case .hole(let hole):
        guard let reading = try hole.reading(in: scope) else { return [] }
        segments[segments.count - 1].add(try hole.text(of: reading, in: scope).text)
      }
    }
    return try path(of: segments, in: scope)
  }

  private func path(of segments: [Segment], in scope: TemplateScope) throws(ParameterError) -> JSONPath {
    var path = JSONPath()
    for segment in segments {
      guard let step = segment.step else {
        throw scope.fault(self, "'\(spelling)' is no JSON Pointer: a '~' is written '~0', a '/' in a name '~1'")
      }
      path.steps.append(step)
    }
    return path
  }
}

/// The part between two `/`.
private struct Segment {
  /// The segment as a pointer spells it.
  var spelling = ""
  private var hasValue = false

  mutating func add(_ value: String) {
    // Escape the value (RFC 6901 §3).
    spelling += JSONPath([value]).pointer.slashSeparated[1]
    hasValue = true
  }

  /// The step of the path; only a `*` of the spec itself selects every element or member.
  var step: JSONStep? {
    let path = hasValue ? JSONPath(pointer: "/" + spelling) : JSONPath(contentPointer: "/" + spelling)
    return path?.steps.first
  }
}
