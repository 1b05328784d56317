// Error of a record that `decode` or `model` rejects, before the record's number in the page is known.

package struct ModelError: Error, Hashable {
  package let keyPath: String
  package let expected: String
  package let found: String
  /// True if the record does not fit `model`.
  package let isOfModel: Bool

  package init(keyPath: String, expected: String, found: String, isOfModel: Bool = false) {
    self.keyPath = keyPath
    self.expected = expected
    self.found = found
    self.isOfModel = isOfModel
  }

  func fault(record number: Int) -> ContentError {
    isOfModel
      ? .model(record: number, keyPath: keyPath, expected: expected, found: found)
      : .decoding(record: number, keyPath: keyPath, expected: expected, found: found)
  }
}
