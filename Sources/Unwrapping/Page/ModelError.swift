// A record that is not what `decode` or `model` say, before anyone knows which record of the page it is.

struct ModelError: Error {
  let keyPath: String
  let expected: String
  let found: String

  func fault(record number: Int) -> ContentError {
    .decoding(record: number, keyPath: keyPath, expected: expected, found: found)
  }
}
