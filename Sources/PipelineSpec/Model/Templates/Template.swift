// `${root.path}` in a string, parsed once when the spec is read.

package import Diagnostics
package import JSONText
package import Primitives

/// Parsed string with templates in it.
package struct Template: Hashable, Sendable {
  package enum Piece: Hashable, Sendable {
    case text(String)
    case hole(Hole)
  }

  /// One `${…}`.
  package struct Hole: Hashable, Sendable {
    package enum Root: String, CaseIterable, Sendable {
      case input, inputs, record, param, env, file, body, headers, last, page, token, since, now, today, epoch
    }

    package enum URLForm: String, Sendable {
      /// `${x:path}`: each `/` of the value separates two segments of the URL's path.
      case path
      /// `${x:encoded}`: the value is percent-encoded already, and is sent as it stands.
      case encoded
    }

    package let root: Root
    /// Steps after the root.
    ///
    /// `param`, `env`, `file` and `headers` have exactly one; `page`, `token`, `since`, `now`, `today` and `epoch` have none.
    package let path: JSONPath
    /// Text of `path`, by which a page's captured values are found; empty for other roots.
    package let pathText: String
    /// Text after `:-`, used if the value is missing, null or an empty string.
    package let fallback: String?
    /// True for `${x?}`: the item with the hole is dropped if the value is missing.
    package let isOptional: Bool
    /// Difference of time to add, such as `-7d`.
    package let shift: CivilShift
    /// Whole number to add to a whole number, such as 1 in `${last.id+1}`; 0 for none.
    package let increment: Int
    /// Spelling of a time; nil for the time's own.
    package let form: TimeForm?
    /// True for `${x:age}`: the seconds from the time to the start of the run.
    package let isAge: Bool
    /// Text between the elements of a list that is joined: `,` in `${inputs.id:,}`.
    package let separator: String?
    /// The way in which the value enters a URL, if it is not percent-encoded as one piece.
    package let urlForm: URLForm?
    /// Spelling in the spec, with `${` and `}` unless it is a path alone, for messages.
    package let spelling: String
    /// Position of its first character in the spec.
    package let position: SourcePosition

    package init(
      root: Root, path: JSONPath, fallback: String?, isOptional: Bool, shift: CivilShift = .none,
      increment: Int = 0, form: TimeForm? = nil, isAge: Bool = false, separator: String? = nil, urlForm: URLForm? = nil,
      spelling: String, position: SourcePosition
    ) {
      self.root = root
      self.path = path
      pathText = root == .body || root == .last ? path.description : ""
      self.fallback = fallback
      self.isOptional = isOptional
      self.shift = shift
      self.increment = increment
      self.form = form
      self.isAge = isAge
      self.separator = separator
      self.urlForm = urlForm
      self.spelling = spelling
      self.position = position
    }

    /// True if the value comes as it is found: neither shifted, nor in another form, nor joined, nor with a default.
    package var isVerbatim: Bool {
      fallback == nil && form == nil && !isAge && separator == nil && shift == .none && increment == 0
    }

    package var isPath: Bool { urlForm == .path }
    package var isEncoded: Bool { urlForm == .encoded }
  }

  /// Pieces in order; the empty string has none.
  ///
  /// No text is empty, and no two texts are adjacent.
  package let pieces: [Piece]
  /// Position of the string in the spec.
  package let position: SourcePosition

  package init(pieces: [Piece], position: SourcePosition) {
    self.pieces = pieces
    self.position = position
  }

  package var holes: [Hole] {
    pieces.compactMap { if case .hole(let hole) = $0 { hole } else { nil } }
  }

  /// The hole, if the string is one template and nothing else.
  package var onlyHole: Hole? {
    if pieces.count == 1, case .hole(let hole) = pieces[0] { hole } else { nil }
  }

  /// The text, if the string has no template.
  package var literal: String? {
    switch pieces.count {
    case 0: return ""
    case 1: if case .text(let text) = pieces[0] { return text } else { return nil }
    default: return nil
    }
  }

  /// True if a hole reads that root.
  package func names(_ root: Hole.Root) -> Bool { holes.contains { $0.root == root } }
}

// The path of content, in which a value may be a piece of a name: `data.${param.kind}`.

extension Template {
  /// The path with a NUL for each value; nil if the text is not a path.
  package var contentShape: JSONPath? {
    pieces.isEmpty ? nil : try? JSONPath(shape: text { _ in "\0" })
  }
}

extension Template {
  /// Spelling in the spec, except for escapes such as `$${`.
  package var spelling: String { text { $0.spelling } }

  /// Returns the text with something in place of each hole.
  package func text(_ filling: (Hole) -> String) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .hole(let hole): filling(hole)
      }
    }.joined()
  }
}

// Addresses that begin with a template: a base such as `${param.url}/api/`, an endpoint such as `${input.url}`.

extension Template {
  /// The parameter or variable at the start of a base, which supplies scheme and host.
  package var originHole: Hole? {
    guard case .hole(let hole)? = pieces.first, [.param, .env].contains(hole.root) else { return nil }
    return hole
  }

  /// The template that is a whole address, which an input record gives.
  package var inputURL: Hole? { onlyHole.flatMap { $0.root == .input && !$0.isPath ? $0 : nil } }

  /// True if the input record has the start of the address, so that an earlier answer gave it.
  package var isFromRecord: Bool {
    guard case .hole(let hole)? = pieces.first else { return false }
    return hole.root == .input && !hole.isPath
  }
}

/// Any value of a spec with templates in its strings (`body`, `set`, `each` lists).
package indirect enum TemplateValue: Hashable, Sendable {
  /// `null`, `true`, `false` or a number.
  ///
  /// It has its JSON text (YAML's `0x1F` is `31`), and its spelling in the spec for use as text.
  case constant(JSONValue, spelling: String)
  case string(Template)
  case list([TemplateValue])
  /// A map; its names are not templates.
  case map([Member])

  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: TemplateValue
    package init(name: String, value: TemplateValue) {
      self.name = name
      self.value = value
    }
  }

  /// All templates in the value, in order.
  package var templates: [Template] {
    switch self {
    case .constant: []
    case .string(let template): [template]
    case .list(let values): values.flatMap(\.templates)
    case .map(let members): members.flatMap(\.value.templates)
    }
  }
}

/// A template in place of a constant.
package struct FixedTemplate: Hashable, Sendable {
  package let template: Template
  /// True if no record depends on the value, so that a resumed run may have another one.
  package let mayChange: Bool
}
