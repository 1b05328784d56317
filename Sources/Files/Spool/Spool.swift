// Bytes that wait in memory up to a limit, then in an unnamed temporary file.

package import Primitives
import Synchronization

/// Bytes that are written once and read once, in order.
///
/// The spool holds up to `memoryLimit` bytes in memory. Further bytes go to an unnamed temporary file, so that memory
/// does not grow with them. The file disappears with the spool, even after a crash.
///
/// Writing and reading may alternate and may happen on different threads. Reading frees memory: a spool that is emptied
/// as fast as it is filled never creates a file.
package final class Spool: Sendable {
  private let memoryLimit: Int
  private let memory: SpoolMemory?
  private let folder: String?
  private let environment: Environment
  /// Nil for those of the system: most spools need none, and a copy of all calls has many references.
  private let calls: SystemCalls?
  private let state = Locked(State())

  /// Creates an empty spool.
  ///
  /// - Parameters:
  ///   - memory: the memory that it shares with other spools; nil for its own limit alone.
  ///   - folder: folder of the temporary file; nil for TMPDIR from `environment`, else `/tmp`. If a folder can't be used,
  ///     `/tmp` is.
  package init(
    memoryLimit: Int = 64 << 20, sharing memory: SpoolMemory? = nil, folder: String? = nil,
    environment: Environment = [:], calls: SystemCalls? = nil
  ) {
    self.memoryLimit = memoryLimit
    self.memory = memory
    self.calls = calls
    self.folder = folder
    self.environment = environment
  }

  /// Folder of the temporary file.
  private var fileFolder: String { folder ?? environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp" }

  /// Appends bytes; an empty array is ignored.
  ///
  /// - Parameters:
  ///   - number: is returned with the bytes.
  ///   - companion: is returned with the bytes if it fits into memory.
  package func append(
    _ bytes: [UInt8], number: Int = 0, with companion: (any SpoolCompanion)? = nil
  ) throws(FileError) {
    guard !bytes.isEmpty else { return }
    try state.withLock { (state) throws(FileError) in
      var piece = SpoolPiece(bytes: bytes, number: number, companion: companion)
      if !state.mayHold(piece, limit: memoryLimit) { piece.companion = nil }
      if state.mayHold(piece, limit: memoryLimit), memory?.take(piece.size) ?? true {
        state.hold(piece)
      } else {
        try state.store(piece, folder: fileFolder, calls ?? .system)
      }
      state.count += bytes.count
    }
  }

  /// Number of bytes written, including those already read.
  package var count: Int { state.withLock { $0.count } }

  /// Returns the next bytes exactly as one `append` gave them, or nil after the last, and frees their memory.
  package func next() throws(FileError) -> [UInt8]? {
    try nextPiece()?.bytes
  }

  /// Returns the next bytes with their number and companion, or nil after the last.
  package func nextPiece() throws(FileError) -> SpoolPiece? {
    try state.withLock { (state) throws(FileError) in
      guard let piece = state.takeHeld() else { return try state.takeStored() }
      memory?.give(piece.size)
      return piece
    }
  }

  deinit {
    memory?.give(state.withLock { $0.heldSize })
  }

  /// The pieces of the spool; those in memory always come before those in the file.
  private struct State: ~Copyable {
    var count = 0
    /// Pieces in memory; those before `firstHeld` have been read and freed.
    private var held: [SpoolPiece?] = []
    private var firstHeld = 0
    private(set) var heldSize = 0
    private var file: SpoolFile?
    private var readOffset = 0
    private var writeOffset = 0

    func mayHold(_ piece: SpoolPiece, limit: Int) -> Bool {
      readOffset == writeOffset && heldSize + piece.size <= limit
    }

    mutating func hold(_ piece: SpoolPiece) {
      held.append(piece)
      heldSize += piece.size
    }

    mutating func takeHeld() -> SpoolPiece? {
      guard firstHeld < held.count, let piece = held[firstHeld] else { return nil }
      held[firstHeld] = nil
      firstHeld += 1
      heldSize -= piece.size
      // Moving the rest only when it is the smaller half costs one move per piece overall.
      if firstHeld * 2 >= held.count {
        held.removeFirst(firstHeld)
        firstHeld = 0
      }
      return piece
    }

    /// Writes a piece to the file after its length and number, so that these take no memory either.
    mutating func store(_ piece: SpoolPiece, folder: String, _ calls: SystemCalls) throws(FileError) {
      if file == nil { file = try SpoolFile(folder: folder, or: "/tmp", calls: calls) }
      try file?.write(SpoolFile.head(length: piece.bytes.count, number: piece.number), at: writeOffset)
      try file?.write(piece.bytes, at: writeOffset + SpoolFile.headSize)
      writeOffset += SpoolFile.headSize + piece.bytes.count
    }

    mutating func takeStored() throws(FileError) -> SpoolPiece? {
      guard readOffset < writeOffset else { return nil }
      let (length, number) = SpoolFile.decoded(try file?.read(SpoolFile.headSize, at: readOffset) ?? [])
      let bytes = try file?.read(length, at: readOffset + SpoolFile.headSize) ?? []
      readOffset += SpoolFile.headSize + length
      if readOffset == writeOffset {
        (readOffset, writeOffset) = (0, 0)
      }
      return SpoolPiece(bytes: bytes, number: number, companion: nil)
    }
  }
}

/// The memory that spools share, so that it does not grow with their number.
package final class SpoolMemory: Sendable {
  private let rest: Atomic<Int>

  /// - Parameter limit: most bytes that the spools hold in memory together.
  package init(limit: Int = 256 << 20) {
    rest = Atomic(limit)
  }

  /// Takes bytes; returns false if there are not so many.
  func take(_ count: Int) -> Bool {
    if rest.subtract(count, ordering: .relaxed).newValue >= 0 { return true }
    give(count)
    return false
  }

  func give(_ count: Int) { rest.add(count, ordering: .relaxed) }
}

/// The bytes of one `append`, with their number and companion.
package struct SpoolPiece: Sendable {
  package let bytes: [UInt8]
  /// Count that the writer attached to the bytes.
  package let number: Int
  package var companion: (any SpoolCompanion)?
}

extension SpoolPiece {
  /// Memory of an array besides its bytes: its header, its slot in `held`, and the allocator's rounding.
  ///
  /// Without it, many small arrays would take a multiple of the limit.
  private static let overhead = 96

  var size: Int { bytes.count + (companion?.size ?? 0) + Self.overhead }
}

/// Data about spooled bytes that takes memory as the bytes do; the spool may drop it.
package protocol SpoolCompanion: Sendable {
  /// Size in bytes.
  var size: Int { get }
}

// MARK: Bytes that several readers read

/// Bytes that are written once and read any number of times, in an unnamed temporary file.
package final class SharedSpool: Sendable {
  private struct State: ~Copyable {
    var file: SpoolFile?
    var size = 0
  }

  private let folder: String
  private let calls: SystemCalls
  private let state = Locked(State())

  /// Creates an empty spool in the folder of TMPDIR, else in `/tmp`.
  package init(environment: Environment, calls: SystemCalls = .system) {
    folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    self.calls = calls
  }

  package func append(_ bytes: [UInt8]) throws(FileError) {
    guard !bytes.isEmpty else { return }
    try state.withLock { (state) throws(FileError) in
      if state.file == nil { state.file = try SpoolFile(folder: folder, or: "/tmp", calls: calls) }
      try state.file?.write(bytes, at: state.size)
      state.size += bytes.count
    }
  }

  /// Returns the bytes from an offset on, at most `count`; none at the end.
  package func read(from offset: Int, atMost count: Int) throws(FileError) -> [UInt8] {
    try state.withLock { (state) throws(FileError) in
      let count = min(count, state.size - offset)
      return count > 0 ? try state.file?.read(count, at: offset) ?? [] : []
    }
  }
}

/// One reader of a shared spool, which begins at the start.
package final class SharedSpoolReader: Sendable {
  package let spool: SharedSpool
  /// Number of bytes read.
  private let taken = Locked(0)

  package init(_ spool: SharedSpool) {
    self.spool = spool
  }

  /// Reads once into a reusable buffer, and returns the number of bytes, 0 at the end.
  package func read(into buffer: inout [UInt8]) throws(FileError) -> Int {
    let bytes = try spool.read(from: taken.withLock { $0 }, atMost: buffer.count)
    buffer.replaceSubrange(..<bytes.count, with: bytes)
    taken.withLock { $0 += bytes.count }
    return bytes.count
  }
}

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
