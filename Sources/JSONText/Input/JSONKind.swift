/// The kinds of JSON value.
package enum JSONKind: String, Sendable, Hashable {
  case object, array, string, number, boolean, null
}
