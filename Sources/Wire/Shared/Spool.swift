// Bytes that wait: in memory up to a size, then in an unnamed temporary file.

import Synchronization

/// Bytes written once and read once, in order. Up to `memoryLimit` they are held in memory; from there on they go to an
/// unnamed temporary file, so that memory does not grow with them. The file is gone with the spool, whatever happens.
///
/// Writing and reading may alternate and may happen on different threads. What was read makes room: a spool that is
/// emptied as fast as it is filled never makes a file.
package final class Spool: Sendable {
  private let memoryLimit: Int
  private let folder: String
  private let state = Locked(State())

  /// - Parameter folder: where the file is made if it is needed; nil for TMPDIR from `environment`, else `/tmp`, which
  ///     also serves where that folder can't be used.
  package init(memoryLimit: Int = 64 << 20, folder: String? = nil, environment: Environment = [:]) {
    self.memoryLimit = memoryLimit
    self.folder = folder ?? environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// Adds bytes at the end. Empty ones are nothing.
  ///
  /// - Parameters:
  ///   - number: comes out with the bytes.
  ///   - companion: the same, if there is room for it in memory.
  package func append(
    _ bytes: [UInt8], number: Int = 0, with companion: (any SpoolCompanion)? = nil
  ) throws(SpoolError) {
    guard !bytes.isEmpty else { return }
    try state.withLock { (state) throws(SpoolError) in
      var piece = SpoolPiece(bytes: bytes, number: number, companion: companion)
      if !state.mayHold(piece, limit: memoryLimit) { piece.companion = nil }
      if state.mayHold(piece, limit: memoryLimit) {
        state.hold(piece)
      } else {
        try state.store(piece, folder: folder)
      }
      state.count += bytes.count
    }
  }

  /// Bytes in it, read ones included.
  package var count: Int { state.withLock { $0.count } }

  /// The next bytes exactly as one `append` gave them, or nil after the last. Memory that was read is released.
  package func next() throws(SpoolError) -> [UInt8]? {
    try nextPiece()?.bytes
  }

  /// The same, and what came with them.
  package func nextPiece() throws(SpoolError) -> SpoolPiece? {
    try state.withLock { (state) throws(SpoolError) in
      guard let piece = state.takeHeld() else { return try state.takeStored() }
      return piece
    }
  }

  /// Arrays in memory always come before those in the file.
  private struct State: ~Copyable {
    var count = 0
    /// Arrays in memory; those before `firstHeld` were read and are gone.
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
      // Moving what is left only when it is the smaller half costs one move an array over all.
      if firstHeld * 2 >= held.count {
        held.removeFirst(firstHeld)
        firstHeld = 0
      }
      return piece
    }

    /// In the file an array stands behind its length and number, so that they take no memory either.
    mutating func store(_ piece: SpoolPiece, folder: String) throws(SpoolError) {
      if file == nil { file = try SpoolFile(folder: folder, or: "/tmp") }
      try file?.write(SpoolFile.head(length: piece.bytes.count, number: piece.number), at: writeOffset)
      try file?.write(piece.bytes, at: writeOffset + SpoolFile.headSize)
      writeOffset += SpoolFile.headSize + piece.bytes.count
    }

    mutating func takeStored() throws(SpoolError) -> SpoolPiece? {
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
