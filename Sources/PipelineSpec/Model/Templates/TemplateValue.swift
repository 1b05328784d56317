import Diagnostics
package import JSONText

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
