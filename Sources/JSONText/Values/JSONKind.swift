/// Kinds of JSON values.
package enum JSONKind: String, Sendable, Hashable {
  case object, array, string, number, boolean, null
}
