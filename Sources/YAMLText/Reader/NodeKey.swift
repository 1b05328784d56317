/// Key and its range in the source.
struct NodeKey {
  let text: String
  let range: Range<Int>
}
