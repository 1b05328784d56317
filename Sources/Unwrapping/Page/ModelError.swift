// Error of a record that `decode` or `model` rejects, before the record's number in the page is known.

struct ModelError: Error {
  let keyPath: String
  let expected: String
  let found: String

  func fault(record number: Int) -> ContentError {
    .decoding(record: number, keyPath: keyPath, expected: expected, found: found)
  }
}
