import Diagnostics
import JSONText

/// Writes texts as scalars of YAML.
package enum YAMLScalar {
  /// Returns a JSON string, with escapes for characters that an editor would not show.
  package static func quoted(_ text: String) -> String {
    String(decoding: text.quotedJSON, as: UTF8.self).unicodeScalars.reduce(into: "") { quoted, scalar in
      if String(scalar).printable == String(scalar) {
        quoted.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      }
    }
  }

  /// Returns a text as YAML, or as a JSON string if YAML would read the plain text as something else.
  package static func text(_ text: String) -> String {
    let plain = "/_-.~:%?&=,+@*"
    let isPlain =
      text.utf8.allSatisfy {
        (48...57).contains($0) || (97...122).contains($0 | 0x20) || plain.utf8.contains($0)
      } && text.utf8.first.map { (97...122).contains($0 | 0x20) || $0 == UInt8(ascii: "/") } == true
      && !text.hasSuffix(":")
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    return isPlain ? text : quoted(text)
  }
}
