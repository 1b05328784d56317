// Texts with stand-ins, as people read them.

import FetchPlan
import PipelineSpec
import Primitives

extension StandIn {
  /// Returns the text with the spelling of each stand-in: `${param.q}`, `$KEY`.
  static func spelled(_ text: String) -> String {
    pieces(of: text).map { piece in
      switch piece {
      case .text(let text): text
      case .standIn(.template(let spelling)), .standIn(.url(let spelling)): spelling
      case .standIn(.variable(let name)): "$\(name)"
      }
    }.joined()
  }
}

extension String {
  /// The URL with `***` in place of each query item's value that is a credential in plain text.
  var hidingCredentials: String {
    guard let start = firstIndex(of: "?") else { return self }
    let end = self[start...].firstIndex(of: "#") ?? endIndex
    let items = self[start..<end].dropFirst().split(separator: "&", omittingEmptySubsequences: false).map { item in
      guard let equals = item.firstIndex(of: "=") else { return String(item) }
      let (name, value) = (String(item[..<equals]), String(item[item.index(after: equals)...]))
      let isText = StandIn.pieces(of: value).allSatisfy { if case .text = $0 { true } else { false } }
      guard isText, !value.isEmpty, CredentialName.isCredential(item: name, value: value) else { return String(item) }
      return "\(name)=***"
    }
    return "\(self[...start])\(items.joined(separator: "&"))\(self[end...])"
  }
}
