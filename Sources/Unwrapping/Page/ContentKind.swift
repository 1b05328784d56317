// The kind of a page's content.

package import JSONText

/// The kind of the one value that is a page's content.
package enum ContentKind: Hashable, Sendable {
  case plain(JSONKind)
  /// An object whose first name is a number, as PHP writes a list whose indices have a gap.
  case indexed

  /// The kind in words, without an article.
  package var name: String {
    switch self {
    case .plain(let kind): kind.rawValue
    case .indexed: "object with numbers for names"
    }
  }

  /// Reports that compact text begins with an object whose first name is a number.
  static func isIndexed(_ text: [UInt8]) -> Bool {
    guard text.starts(with: #"{""#.utf8) else { return false }
    let name = text.dropFirst(2).prefix { (48...57).contains($0) }
    return !name.isEmpty && text.dropFirst(2 + name.count).starts(with: #"":"#.utf8)
  }
}
