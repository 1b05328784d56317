// Error of a record that `decode` or `model` rejects, before the record's number in the page is known.

struct ModelError: Error {
  let keyPath: String
  let expected: String
  let found: String
  /// True if the record is not as `model` says.
  var isOfModel = false

  func fault(record number: Int) -> ContentError {
    isOfModel
      ? .model(record: number, keyPath: keyPath, expected: expected, found: found)
      : .decoding(record: number, keyPath: keyPath, expected: expected, found: found)
  }
}
