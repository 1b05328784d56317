/// Unpacks a HAR file while its bytes arrive; a file that is not packed passes unchanged.
struct HARUnpacker {
  private let name: String
  /// First bytes, until they show whether the file is packed.
  private var head: [UInt8] = []
  private var hasHead = false
  /// The decoder of a packed file.
  private var inflater: Inflater?
  private var count = 0

  /// - Parameter name: name of the file, for messages.
  init(name: String) {
    self.name = name
  }

  /// Takes the next bytes, and passes the text that they contain to `take`.
  ///
  /// - Throws: `ReplayError` if the packed file is broken or too large, and the errors of `take`.
  mutating func unpack(
    _ chunk: [UInt8], to take: ([UInt8]) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    guard !hasHead else { return try give(chunk, to: take) }
    head += chunk
    guard head.count > 2 else { return }
    try begin(to: take)
  }

  /// Ends the file.
  ///
  /// - Throws: `ReplayError` if the packed file was cut short, and the errors of `take`.
  mutating func finish(to take: ([UInt8]) throws(ReplayError) -> Void) throws(ReplayError) {
    if !hasHead { try begin(to: take) }
    if let inflater, !inflater.isWhole { throw ReplayError(problem: "'\(name)' is packed, and was cut short") }
  }

  private mutating func begin(to take: ([UInt8]) throws(ReplayError) -> Void) throws(ReplayError) {
    hasHead = true
    if HARFile.isPacked(head) {
      inflater = Inflater()
      guard inflater != nil else {
        throw ReplayError(problem: "'\(name)' is packed, and zlib is missing: install zlib, or unpack the file")
      }
    }
    let first = head
    head = []
    try give(first, to: take)
  }

  private mutating func give(
    _ chunk: [UInt8], to take: ([UInt8]) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    guard let inflater else { return try take(chunk) }
    inflater.give(chunk)
    while true {
      switch inflater.next() {
      case .bytes(let text):
        count += text.count
        guard count <= HARFile.limit else {
          throw ReplayError(problem: "'\(name)' has more than \(HARFile.limit) bytes when it is unpacked")
        }
        try take(text)
      case .needsInput: return
      case .broken: throw ReplayError(problem: "'\(name)' is packed, and broken: it can't be unpacked")
      case .outOfMemory: throw ReplayError(problem: "'\(name)' can't be unpacked: there is no memory")
      }
    }
  }
}
