/// How the search for the content ended.
package enum ContentFinding: Equatable, Sendable {
  /// It is an array, object or scalar: its records came out.
  case found
  /// It is `null`: no records.
  case null
  /// A step of the way is not there, in the first place where that is so. `at` is the way up to that step, with the
  /// indices and names that `*` stood for. `available` lists the names of the members where it failed (at most 21, in
  /// order), or is empty with `kind` telling what stood there instead of an object or array.
  case missing(at: JSONPath, available: [String], kind: JSONKind)
  /// Names are wanted, and what the last `*` goes through at this place is an array, whose elements have none. The
  /// first of them is the record of that number, from 1.
  case nameless(at: JSONPath, record: Int)
}
