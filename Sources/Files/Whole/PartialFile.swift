// What a run has written so far, beside the file that it will become.

import JSONText

/// The file behind `-o FILE`: it grows beside FILE and becomes FILE when it is whole. Whatever ends the run before that,
/// it stays, and FILE is what it was.
package struct PartialFile: ~Copyable, Sendable {
  /// How far it is good, and what stands there: enough to know it again.
  package struct Position: Hashable, Sendable {
    package let size: Int
    package let hash: Int

    package init(size: Int, hash: Int) {
      self.size = size
      self.hash = hash
    }

    package static let start = Position(size: 0, hash: Fingerprint().finalize())

    /// Whether these bytes stand in a file, from a place on.
    package func stands(in path: String, from offset: Int, calls: SystemCalls) throws(FileError) -> Bool {
      guard offset >= 0, let file = try Descriptor(at: path, calls: calls) else { return false }
      guard try file.facts().size >= offset + size else { return false }
      try file.seek(to: offset)
      var found = Known()
      return try found.read(file, upTo: size) && found.position == self
    }
  }

  /// That its owner may read and write it.
  private static let ownerMode: UInt32 = 0o600

  private let place: OutputPath
  private let calls: SystemCalls
  private let file: Descriptor
  private var writer: LineWriter
  private var size = 0
  private var fingerprint = Fingerprint()

  /// An empty one, in place of what another run may have left.
  package init(_ place: OutputPath, calls: SystemCalls = .system) throws(FileError) {
    file = try Self.made(place, calls)
    writer = LineWriter(descriptor: file.number, name: "'\(place.part)'", calls: calls)
    self.place = place
    self.calls = calls
  }

  /// The one that another run has left: it is cut back to where it is known.
  package init(_ place: OutputPath, resuming known: Known, calls: SystemCalls = .system) throws(FileError) {
    file = try Self.cut(place, to: known.position.size, calls)
    writer = LineWriter(descriptor: file.number, name: "'\(place.part)'", calls: calls)
    self.place = place
    self.calls = calls
    (size, fingerprint) = (known.position.size, known.fingerprint)
  }

  private static func cut(_ place: OutputPath, to size: Int, _ calls: SystemCalls) throws(FileError) -> Descriptor {
    guard let file = try Descriptor.left(at: place.part, calls: calls) else {
      throw FileError("open", place.part, .missing)
    }
    try file.truncate(to: size)
    try file.seek(to: size)
    return file
  }

  /// How far a part that another run has left is what it was.
  package struct Known: Sendable {
    package fileprivate(set) var position = Position.start
    fileprivate var fingerprint = Fingerprint()

    fileprivate init() {}

    /// Nil when there is no part.
    ///
    /// - Parameter positions: where it may be known, in order.
    package init?(_ place: OutputPath, _ positions: [Position], calls: SystemCalls = .system) throws(FileError) {
      guard let file = try Descriptor.left(at: place.part, calls: calls) else { return nil }
      var reached = Known()
      for position in positions {
        guard try reached.read(file, upTo: position.size) else { return }
        if reached.position == position { self = reached }
      }
    }

    /// False at the file's end.
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

  private static func made(_ place: OutputPath, _ calls: SystemCalls) throws(FileError) -> Descriptor {
    let old = try AtomicFile.facts(of: place.path, calls)
    if old?.kind == .folder { throw FileError("write to", place.path, .isFolder) }
    let file = try Descriptor.made(at: place.part, for: place.path, calls: calls)
    // Also where nobody may write to the file: who goes on with the part must.
    if let old { try file.setMode(old.mode | Self.ownerMode) }
    return file
  }

  /// Where it would be cut back to if the run ended now; what was written has been handed to the system.
  package var position: Position {
    let fingerprint = fingerprint
    return Position(size: size, hash: fingerprint.finalize())
  }

  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    try writer.write(lines)
    fingerprint.combine(lines)
    size += lines.count
  }

  package mutating func flush() throws(FileError) {
    try writer.flush()
  }

  package mutating func sync() throws(FileError) {
    try writer.flush()
    try file.sync()
  }

  /// It is whole: becomes the file, or what the file ends with.
  package mutating func finish(appending: Bool) throws(FileError) {
    if appending, try AtomicFile.facts(of: place.path, calls) != nil {
      try writer.flush()
      if size > 0 { try append() }
      return try place.remove(place.part, calls)
    }
    try sync()
    if let old = try AtomicFile.facts(of: place.path, calls), old.mode & Self.ownerMode != Self.ownerMode {
      try file.setMode(old.mode)
    }
    try place.put(place.part, calls)
    try place.syncFolder(calls)
  }

  /// The old file is copied (or shared, where the file system can) and not written to: so it is whole at every moment.
  private func append() throws(FileError) {
    var whole = try AtomicFile(place, calls: calls)
    try whole.begin(with: place.path)
    try file.seek(to: 0)
    try whole.add(file)
    try whole.finish()
  }

  /// Nothing of the run will be gone on with.
  package func discard() throws(FileError) {
    try place.remove(place.part, calls)
  }
}
