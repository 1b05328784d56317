// The output of a run so far, beside the file that it will become.

import JSONText

/// The output of `-o FILE` during writing: it grows beside FILE, and becomes FILE when it is complete.
///
/// If the run ends before that, the partial file remains, and FILE is unchanged.
package struct PartialFile: ~Copyable, Sendable {
  /// The size of the valid part, and a hash that identifies its content.
  package struct Position: Hashable, Sendable {
    package let size: Int
    package let hash: Int

    package init(size: Int, hash: Int) {
      self.size = size
      self.hash = hash
    }

    package static let start = Position(size: 0, hash: Fingerprint().finalize())

    /// Reports that a file contains these bytes at an offset.
    package func stands(in path: String, from offset: Int, calls: SystemCalls) throws(FileError) -> Bool {
      guard offset >= 0, let file = try Descriptor(at: path, calls: calls) else { return false }
      guard try file.metadata().size >= offset + size else { return false }
      try file.seek(to: offset)
      var found = Known()
      return try found.read(file, upTo: size) && found.position == self
    }
  }

  /// Mode in which the owner may read and write.
  private static let ownerMode: UInt32 = 0o600

  private let outputPath: OutputPath
  private let calls: SystemCalls
  private let file: Descriptor
  private var writer: LineWriter
  private var size = 0
  private var fingerprint = Fingerprint()
  /// Packs the lines; nil if the file has them as they are.
  private let packer: (any FilePacker)?
  /// True if lines were written since the last member ended.
  private var isInMember = false

  /// Creates an empty file; an existing one is replaced.
  package init(
    _ outputPath: OutputPath, as format: (any FileFormat)? = nil, calls: SystemCalls = .system
  ) throws(FileError) {
    let packer = try format?.packer()
    file = try Self.made(outputPath, calls)
    self.packer = packer
    writer = LineWriter(descriptor: file.number, name: "'\(outputPath.part)'", calls: calls)
    self.outputPath = outputPath
    self.calls = calls
  }

  /// Opens the file of an interrupted run, and truncates it to its valid part.
  package init(
    _ outputPath: OutputPath, as format: (any FileFormat)? = nil, resuming known: Known, calls: SystemCalls = .system
  ) throws(FileError) {
    let packer = try format?.packer()
    file = try Self.cut(outputPath, to: known.position.size, calls)
    self.packer = packer
    writer = LineWriter(descriptor: file.number, name: "'\(outputPath.part)'", calls: calls)
    self.outputPath = outputPath
    self.calls = calls
    (size, fingerprint) = (known.position.size, known.fingerprint)
  }

  private static func cut(_ outputPath: OutputPath, to size: Int, _ calls: SystemCalls) throws(FileError) -> Descriptor
  {
    guard let file = try Descriptor.left(at: outputPath.part, calls: calls) else {
      throw FileError("open", outputPath.part, .missing)
    }
    try file.truncate(to: size)
    try file.seek(to: size)
    return file
  }

  /// The valid part of a partial file that another run has left.
  package struct Known: Sendable {
    package fileprivate(set) var position = Position.start
    fileprivate var fingerprint = Fingerprint()

    fileprivate init() {}

    /// No bytes of the file.
    package static let nothing = Known()

    /// Finds the valid part; nil if there is no partial file.
    ///
    /// - Parameter positions: committed positions, in order.
    package init?(_ outputPath: OutputPath, _ positions: [Position], calls: SystemCalls = .system) throws(FileError) {
      guard let file = try Descriptor.left(at: outputPath.part, calls: calls) else { return nil }
      var reached = Known()
      for position in positions {
        guard try reached.read(file, upTo: position.size) else { return }
        if reached.position == position { self = reached }
      }
    }

    /// Reads the lines of the valid part, without the first ones, in pieces of whole lines.
    package func readLines(
      _ outputPath: OutputPath, as format: (any FileFormat)?, after count: Int, calls: SystemCalls,
      _ body: ([UInt8]) -> Void
    ) throws(FileError) {
      guard let file = try Descriptor.left(at: outputPath.part, calls: calls) else { return }
      let unpacker = try format?.unpacker()
      var (skipped, size) = (0, 0)
      var rest: [UInt8] = []
      func take(_ bytes: [UInt8]) {
        var piece = bytes[...]
        while skipped < count, let end = piece.firstLineFeed {
          piece = piece[(end + 1)...]
          skipped += 1
        }
        guard skipped == count, let end = piece.lastIndex(of: 0x0A) else {
          if skipped == count { rest += piece }
          return
        }
        body(rest + piece[...end])
        rest = Array(piece[(end + 1)...])
      }
      while size < position.size {
        var buffer = [UInt8](repeating: 0, count: min(256 << 10, position.size - size))
        let read = try file.read(into: &buffer)
        guard read > 0 else { return }
        buffer.removeLast(buffer.count - read)
        size += read
        guard let unpacker else {
          take(buffer)
          continue
        }
        guard try unpacker.unpack(buffer, take) else {
          throw .failed("cannot read '\(outputPath.part)': it is damaged")
        }
      }
    }

    /// Reads up to a size; returns false at the file's end.
    fileprivate mutating func read(_ file: borrowing Descriptor, upTo size: Int) throws(FileError) -> Bool {
      var read = position.size
      while read < size {
        var buffer = [UInt8](repeating: 0, count: min(256 << 10, size - read))
        let count = try file.read(into: &buffer)
        guard count > 0 else { return false }
        buffer.removeLast(buffer.count - count)
        fingerprint.combine(buffer)
        read += count
      }
      let hash = fingerprint
      position = Position(size: read, hash: hash.finalize())
      return true
    }
  }

  private static func made(_ outputPath: OutputPath, _ calls: SystemCalls) throws(FileError) -> Descriptor {
    let old = try AtomicFile.metadata(of: outputPath.path, calls)
    if old?.kind == .folder {
      throw .failed("'\(outputPath.path)' is a folder; give the name of a file")
    }
    let file = try Descriptor.made(at: outputPath.part, for: outputPath.path, calls: calls)
    // This holds even if the old file is read-only, since a run that resumes must write to the partial file.
    if let old { try file.setMode(old.mode | Self.ownerMode) }
    return file
  }

  /// Position to which a resumed run would truncate the file; all earlier bytes have been flushed to the system.
  package var position: Position {
    let fingerprint = fingerprint
    return Position(size: size, hash: fingerprint.finalize())
  }

  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    guard let packer else { return try append(lines) }
    if lines.isEmpty { return }
    isInMember = true
    try append(packer.pack(lines, endsMember: false))
  }

  /// Ends the member of the lines so far, so that a position follows them.
  package mutating func endMember() throws(FileError) {
    guard let packer, isInMember else { return }
    isInMember = false
    try append(packer.pack([], endsMember: true))
  }

  private mutating func append(_ bytes: [UInt8]) throws(FileError) {
    try writer.write(bytes)
    fingerprint.combine(bytes)
    size += bytes.count
  }

  package mutating func flush() throws(FileError) {
    try writer.flush()
  }

  package mutating func sync() throws(FileError) {
    try writer.flush()
    try file.sync()
  }

  /// Ends the last member; a packed file without records has an empty one.
  package mutating func endMembers() throws(FileError) {
    if packer != nil, size == 0 { isInMember = true }
    try endMember()
  }

  /// Completes the file: renames it to FILE, or appends it to FILE.
  ///
  /// - Parameter look: receives the path of the complete file before it becomes FILE.
  package mutating func finish(
    appending: Bool, _ look: (_ path: String) throws(FileError) -> Void = { _ in }
  ) throws(FileError) {
    if appending, try AtomicFile.metadata(of: outputPath.path, calls) != nil {
      try writer.flush()
      if size > 0 { try append(look) } else { try look(outputPath.path) }
      return try outputPath.remove(outputPath.part, calls)
    }
    try sync()
    try look(outputPath.part)
    if let old = try AtomicFile.metadata(of: outputPath.path, calls), old.mode & Self.ownerMode != Self.ownerMode {
      try file.setMode(old.mode)
    }
    try outputPath.put(outputPath.part, calls)
    try outputPath.syncFolder(calls)
  }

  /// Appends to a copy of the old file, so that FILE is complete at every moment.
  ///
  /// The copy is a clone if the file system supports it.
  private func append(_ look: (_ path: String) throws(FileError) -> Void) throws(FileError) {
    var whole = try AtomicFile(outputPath, calls: calls)
    try whole.begin(with: outputPath.path, endingLine: packer == nil)
    try file.seek(to: 0)
    try whole.add(file)
    try whole.finish(look)
  }

  /// Lets a later run use the file.
  func unlock() { calls.unlock(file.number) }

  /// Deletes the file, since no run will resume it.
  package func discard() throws(FileError) {
    try outputPath.remove(outputPath.part, calls)
  }
}

// MARK: Formats in which the lines of a file are packed, by its name

/// A format of files that are made of members, each of which can be decoded by itself.
package protocol FileFormat: Sendable {
  func packer() throws(FileError) -> any FilePacker
  func unpacker() throws(FileError) -> any FileUnpacker
}

/// Packs the bytes of one file.
package protocol FilePacker: AnyObject, Sendable {
  /// Returns packed bytes, perhaps none; those that are missing follow with the next call.
  ///
  /// - Parameter endsMember: true if the member ends after these bytes, so that nothing is missing.
  func pack(_ bytes: [UInt8], endsMember: Bool) -> [UInt8]
}

/// Unpacks the bytes of one file.
package protocol FileUnpacker: AnyObject {
  /// Passes on what the next bytes of the file stand for; returns false if they are damaged.
  func unpack(_ bytes: [UInt8], _ body: (_ unpacked: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Bool
  /// True if the file may end here.
  var isComplete: Bool { get }
}

/// First bytes of every gzip file (RFC 1952 §2.3.1); no JSON text has them.
package let gzipStart: [UInt8] = [0x1F, 0x8B]
