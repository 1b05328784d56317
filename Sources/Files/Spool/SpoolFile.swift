// An unnamed temporary file: invisible to other processes, deleted when it is closed.

/// The file that holds the overflow of a `Spool`.
///
/// The file has no name, so neither a crash nor `kill -9` leaves one on the disk.
struct SpoolFile: ~Copyable {
  private let file: Descriptor

  /// Takes ownership of a file that is open for reading and writing.
  init(_ file: consuming Descriptor) {
    self.file = file
  }

  /// Creates the file in the first folder, or in the other if that fails; throws the error of the first.
  init(folder: String, or other: String, calls: SystemCalls) throws(FileError) {
    do throws(FileError) {
      try self.init(folder: folder, calls: calls)
    } catch {
      guard folder != other, let elsewhere = try? SpoolFile(folder: other, calls: calls) else { throw error }
      self = elsewhere
    }
  }

  init(folder: String, calls: SystemCalls) throws(FileError) {
    // Not every file system has unnamed files, so a failure only means that the other way is tried.
    if let number = try? calls.open(folder, .unnamed) {
      self.init(Descriptor(number: number, path: Self.name(in: folder), calls: calls))
    } else {
      self.init(try Self.madeAndUnlinked(in: folder, calls: calls))
    }
  }

  /// Creates a file and unlinks it at once, which works everywhere; the file has a name between the two calls.
  static func madeAndUnlinked(in folder: String, calls: SystemCalls) throws(FileError) -> Descriptor {
    let path = "\(folder)/.pagecat.\(UInt64.random(in: .min ... .max))"
    let number: Int32
    do {
      number = try calls.open(path, .newPrivate)
    } catch {
      throw FileError("make", name(in: folder), error)
    }
    let file = Descriptor(number: number, path: name(in: folder), calls: calls)
    do { try calls.remove(path) } catch { throw FileError("unlink", path, error) }
    return file
  }

  /// The name of the file in messages.
  static func name(in folder: String) -> String { "\(folder)/(temporary file)" }

  func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    try file.seek(to: offset)
    try file.write(bytes)
  }

  func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
    try file.seek(to: offset)
    return try file.read(exactly: count)
  }
}

extension SpoolFile {
  /// Size in bytes of the head before each piece in the file: its length and its number.
  static let headSize = 2 * wordSize
  private static let wordSize = 8

  static func head(length: Int, number: Int) -> [UInt8] {
    [length, number].flatMap { word in (0..<wordSize).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }

  static func decoded(_ head: [UInt8]) -> (length: Int, number: Int) {
    (decoded(head.prefix(wordSize)), decoded(head.dropFirst(wordSize)))
  }

  private static func decoded(_ word: ArraySlice<UInt8>) -> Int {
    word.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
