/// A key, and where it stands.
struct NodeKey {
  let text: String
  let range: Range<Int>
}
