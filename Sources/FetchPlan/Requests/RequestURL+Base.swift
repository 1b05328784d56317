// A base whose scheme and host are a value: `${param.url}/api/`.

import JSONText
import PipelineSpec
import Wire

extension RequestURL {
  /// Returns the URL of a base.
  ///
  /// A value at the start supplies scheme, host and perhaps a path. The scheme is https, except for this machine, since
  /// the job's secrets are sent there.
  static func base(_ template: Template, in scope: TemplateScope) throws(ParameterError) -> Redactable {
    guard let hole = template.originHole else { return try resolved(template, against: nil, in: scope) }
    guard let value = try hole.reading(in: scope)?.text else {
      throw scope.fault(hole, "the value is missing, and 'base' needs its scheme and host; give a default: ${…:-text}")
    }
    // 'https://h/' and '/api/' are 'https://h/api/'.
    let start = value.withoutSlashesAtEnd
    if let problem = problem(with: start) {
      // No message shows the value of a variable, or a password.
      let shown = hole.root == .param && withoutUserInfo(value) == nil ? "'\(value)'" : "the value"
      throw scope.fault(hole, "\(shown) \(problem)")
    }
    let pieces = [.text(start)] + template.pieces.dropFirst()
    return try resolved(Template(pieces: pieces, place: template.place), against: nil, in: scope)
  }

  /// Returns the reason why a value can't supply scheme and host, as the end of a sentence; nil if it can.
  private static func problem(with value: String) -> String? {
    guard ["https://", "http://"].contains(where: { value.lowercased().hasPrefix($0) }) else {
      return "is no URL: begin it with 'https://'"
    }
    if withoutUserInfo(value) != nil { return "has a user name in it: give credentials by 'auth'" }
    if value.contains(where: { "?#".contains($0) }) { return "has a query or a fragment: give scheme, host and path" }
    guard let url = resolve(value, against: nil) else {
      return "is no URL with a host of ASCII letters, digits, '-' and '.'"
    }
    return OriginPolicy.mayHoldCredentials(url)
      ? nil : "is neither https nor this machine: begin it with 'https://', or write the whole URL into 'base'"
  }
}

extension String {
  fileprivate var withoutSlashesAtEnd: String {
    var text = self[...]
    while text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
    return String(text)
  }
}
