// `${root.path}` in a string, parsed once when the spec is read.

package import Diagnostics
package import JSONText

/// A string with templates in it, parsed.
package struct Template: Hashable, Sendable {
  package enum Piece: Hashable, Sendable {
    case text(String)
    case hole(Hole)
  }

  /// One `${…}`.
  package struct Hole: Hashable, Sendable {
    package enum Root: String, CaseIterable, Sendable {
      case record, param, env, body, headers, last, since, now, today, epoch
    }

    package let root: Root
    /// Steps behind the root. `param`, `env` and `headers` have exactly one, `since`, `now`, `today` and
    /// `epoch` none.
    package let path: JSONPath
    /// What stands after `:-`: used when the value is missing, null or an empty string.
    package let fallback: String?
    /// `${x?}`: the item that holds it is dropped when the value is missing.
    package let isOptional: Bool
    /// For `now`, `today` and `epoch`: seconds to add (`-7d` is -604800).
    package let shift: Int
    /// As it stands in the spec, with `${` and `}`, for messages.
    package let spelling: String
    /// Where its `$` stands in the spec.
    package let place: SourcePosition

    package init(
      root: Root, path: JSONPath, fallback: String?, isOptional: Bool, shift: Int, spelling: String,
      place: SourcePosition
    ) {
      self.root = root
      self.path = path
      self.fallback = fallback
      self.isOptional = isOptional
      self.shift = shift
      self.spelling = spelling
      self.place = place
    }
  }

  /// In order; no two texts stand side by side and no text is empty; none at all is the empty string.
  package let pieces: [Piece]
  /// Where the string stands in the spec.
  package let place: SourcePosition

  package init(pieces: [Piece], place: SourcePosition) {
    self.pieces = pieces
    self.place = place
  }

  package var holes: [Hole] {
    pieces.compactMap { if case .hole(let hole) = $0 { hole } else { nil } }
  }

  /// The hole when the string is one template and nothing else.
  package var onlyHole: Hole? {
    if pieces.count == 1, case .hole(let hole) = pieces[0] { hole } else { nil }
  }

  /// The text when no template is in it.
  package var literal: String? {
    switch pieces.count {
    case 0: return ""
    case 1: if case .text(let text) = pieces[0] { return text } else { return nil }
    default: return nil
    }
  }

  /// Whether a hole reads that root.
  package func names(_ root: Hole.Root) -> Bool { holes.contains { $0.root == root } }
}

extension Template {
  /// As it stands in the spec, but for `$${` and the like.
  package var spelling: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .hole(let hole): hole.spelling
      }
    }.joined()
  }
}
