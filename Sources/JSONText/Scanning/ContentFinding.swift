/// Outcome of the search for the content.
package enum ContentFinding: Equatable, Sendable {
  /// The content is an array, object or scalar, and gave records.
  case found
  /// The content is `null`, and gave no records.
  case null
  /// A step of the content's path is missing; this is the first such place in the text.
  ///
  /// `at` is the path up to that step, with indices and names in place of each `*`. `available` lists the members that
  /// the object has (at most 21, in order). If it is empty, `kind` is the kind of the value that is no object or array.
  /// Of several names at that step, `choice` is the index of the missing one.
  case missing(at: JSONPath, available: [String], kind: JSONKind, choice: Int? = nil)
  /// Names are wanted, but the value at this path for the last `*` is an array, whose elements have no names.
  ///
  /// `record` is the number of the array's first record, from 1.
  case nameless(at: JSONPath, record: Int)
}
