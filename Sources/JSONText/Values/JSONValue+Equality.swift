// Compares two values by what they mean, not by their bytes.

extension JSONValue {
  /// Reports that both values are the same: numbers by value, texts as decoded, members in any order.
  ///
  /// The last of duplicate members counts.
  package func isSame(as other: JSONValue) -> Bool {
    if bytes == other.bytes { return true }
    guard kind == other.kind else { return false }
    switch kind {
    case .null: return true
    case .boolean: return false
    case .number, .string: return joinKey == other.joinKey
    case .array:
      var rest = other.elements.makeIterator()
      for element in elements {
        guard let next = rest.next(), element.isSame(as: next) else { return false }
      }
      return rest.next() == nil
    case .object:
      let (own, others) = (valuesByName, other.valuesByName)
      return own.count == others.count && own.allSatisfy { name, value in others[name].map(value.isSame) ?? false }
    }
  }

  /// The members by the bytes of their names: texts would be equal if only their accents are written differently.
  private var valuesByName: [ArraySlice<UInt8>: JSONValue] {
    Dictionary(members.map { (JSONValue(validated: $0.quotedName).joinKey?.bytes[...] ?? [], $0.value) }) { $1 }
  }
}
