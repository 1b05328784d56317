/// Member of an object, located by its tokens.
package struct TokenIndexedMember {
  /// Range of the name with its quotes.
  package let name: Range<Int>
  package let value: Range<Int>
  /// Number of the first token in the value or after it.
  package let token: Int
  /// Number of the token that ends the member: a comma, or the object's last bracket.
  package let end: Int
}
