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
  private let folder: String?
  private let environment: Environment
  /// Nil for those of the system: most spools need none, and a copy of all calls has many references.
  private let calls: SystemCalls?
  private let state = Locked(State())

  /// Creates an empty spool.
  ///
  /// - Parameter folder: folder of the temporary file; nil for TMPDIR from `environment`, else `/tmp`. If a folder
  ///   can't be used, `/tmp` is.
  package init(
    memoryLimit: Int = 64 << 20, folder: String? = nil, environment: Environment = [:], calls: SystemCalls? = nil
  ) {
    self.memoryLimit = memoryLimit
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
      if state.mayHold(piece, limit: memoryLimit) {
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
      return piece
    }
  }

  /// The pieces of the spool; those in memory always come before those in the file.
  private struct State: ~Copyable {
    var count = 0
    /// Pieces in memory; those before `firstHeld` have been read and freed.
    private var held: [SpoolPiece?] = []
    private var firstHeld = 0
    private var heldSize = 0
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
