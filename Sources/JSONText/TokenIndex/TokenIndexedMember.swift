/// A member of an object, by its tokens.
package struct TokenIndexedMember {
  /// With its quotes.
  package let name: Range<Int>
  package let value: Range<Int>
  /// The number of the first token that is in the value or behind it.
  package let token: Int
  /// The number of the token that ends it: a comma, or the object's last bracket.
  package let end: Int
}
