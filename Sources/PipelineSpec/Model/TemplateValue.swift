import Diagnostics
package import JSONText

/// Any value of a spec with templates in its strings (`body`, `set`, `each` lists).
package indirect enum TemplateValue: Hashable, Sendable {
  /// `null`, `true`, `false` or a number: its JSON text (`0x1F` of YAML is `31`), and its spelling in the spec for when
  /// it is put in as text.
  case constant(JSONValue, spelling: String)
  case string(Template)
  case list([TemplateValue])
  /// Names are not templates.
  case map([Member])

  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: TemplateValue
    package init(name: String, value: TemplateValue) {
      self.name = name
      self.value = value
    }
  }

  /// All templates in it, in order.
  package var templates: [Template] {
    switch self {
    case .constant: []
    case .string(let template): [template]
    case .list(let values): values.flatMap(\.templates)
    case .map(let members): members.flatMap(\.value.templates)
    }
  }
}
