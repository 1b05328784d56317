// A file that is replaced only by a complete one: its path shows the old file or the new one, and nothing in between.

/// Writes a temporary file in the same folder, and renames it when it is complete.
///
/// Without `finish()`, the temporary file is removed. A path that is not a regular file (a pipe, a device) is written
/// in place.
package struct AtomicFile: ~Copyable, Sendable {
  private let outputPath: OutputPath
  private let calls: SystemCalls
  private let file: Descriptor
  private var writer: LineWriter
  /// Name of the temporary file; nil if the path is written in place, and after renaming.
  private var temporary: String?
  /// Bytes that were written, in a file that has room for more; nil for another file.
  private var size: Int?
  /// True if a whole file stays where it is when it can't be renamed.
  private var stays = false

  /// - Parameter name: the path until the file is complete; nil for the usual one.
  /// - Throws: `FileError.busy` when another process is writing it.
  package init(_ outputPath: OutputPath, as name: String? = nil, calls: SystemCalls = .system) throws(FileError) {
    let old = try Self.metadata(of: outputPath.path, calls)
    let isInPlace = old.map { $0.kind != .regular } ?? false
    file =
      isInPlace
      ? try Descriptor(path: outputPath.path, .inPlace, calls: calls)
      : try Self.made(outputPath, at: name ?? outputPath.temporary, old?.mode, calls)
    writer = LineWriter(descriptor: file.number, name: "'\(file.path)'", calls: calls)
    temporary = isInPlace ? nil : file.path
    self.outputPath = outputPath
    self.calls = calls
  }

  /// Starts a file that only its owner may read, even if an old file was readable by others.
  ///
  /// When it is whole and can't be renamed, it stays for `takeUp`.
  package init(private outputPath: OutputPath, calls: SystemCalls) throws(FileError) {
    file = try Descriptor.made(at: outputPath.temporary, for: outputPath.path, isPrivate: true, calls: calls)
    writer = LineWriter(descriptor: file.number, name: "'\(file.path)'", calls: calls)
    temporary = file.path
    stays = true
    self.outputPath = outputPath
    self.calls = calls
  }

  /// Takes room on the disk for some bytes, which can then be written even when the disk is full.
  ///
  /// Must come before the first byte.
  package mutating func reserve(_ room: Int) throws(FileError) {
    try file.write([UInt8](repeating: 0, count: room))
    try file.sync()
    try file.seek(to: 0)
    size = 0
  }

  deinit {
    if let temporary { try? calls.remove(temporary) }
  }

  /// True if a whole file stays, whether it was renamed or not.
  package var isLeft: Bool { stays && temporary == nil }

  /// True if no temporary file stands beside the path.
  package var isInPlace: Bool { temporary == nil }

  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    try writer.write(lines)
    size? += lines.count
  }

  /// Writes what is buffered, so that a full disk shows.
  package mutating func flush() throws(FileError) {
    try writer.flush()
  }

  /// Lets the system begin to write a part of the file to the disk.
  func beginSync(_ part: Range<Int>) {
    if temporary != nil { calls.beginSync(file.number, part) }
  }

  /// Starts with all bytes of another file, and ends its last line.
  ///
  /// - Parameter endsLine: false if the file does not have the lines themselves.
  mutating func begin(with path: String, endingLine endsLine: Bool) throws(FileError) {
    try file.copy(Descriptor(path: path, .reading, calls: calls), isEmpty: true)
    let size = try file.metadata().size
    guard size > 0 else { return }
    guard endsLine else { return try file.seek(to: size) }
    var last: [UInt8] = [0]
    try file.seek(to: size - 1)
    _ = try file.read(into: &last)
    if last != [UInt8(ascii: "\n")] { try file.write([UInt8(ascii: "\n")]) }
  }

  /// Appends the unread rest of another file.
  mutating func add(_ other: borrowing Descriptor) throws(FileError) {
    try writer.flush()
    try file.copy(other, isEmpty: false)
  }

  /// Completes the file: syncs it, renames it, and syncs its folder.
  ///
  /// - Parameters:
  ///   - isSynced: false if a power cut may lose the file.
  ///   - look: receives the path of the complete file before it is renamed.
  package mutating func finish(
    isSynced: Bool = true, _ look: (_ path: String) throws(FileError) -> Void = { _ in }
  ) throws(FileError) {
    try writer.flush()
    guard let name = temporary else { return }
    if let size { try file.truncate(to: size) }
    if stays { temporary = nil }
    if isSynced { try file.sync() }
    try look(name)
    try outputPath.put(name, calls)
    temporary = nil
    if isSynced { try outputPath.syncFolder(calls) }
  }

  /// Puts the whole file in place that an earlier run could not rename, or that it was about to rename when it died.
  ///
  /// - Parameter isWhole: reports that the bytes are those of a whole file.
  package static func takeUp(
    _ outputPath: OutputPath, calls: SystemCalls, where isWhole: ([UInt8]) -> Bool
  ) throws(FileError) {
    guard let file = try Descriptor.left(at: outputPath.temporary, calls: calls) else { return }
    let (left, old) = (try file.metadata(), try metadata(of: outputPath.path, calls))
    // A file that somebody changed since is newer.
    guard case .taken = try file.lock(), left.size <= mostBytes,
      old.map({ !left.modified.lexicographicallyPrecedes($0.modified) }) ?? true
    else { return }
    var bytes = try file.read(exactly: left.size)
    // What follows the last line is room that was not needed.
    bytes.removeSubrange(((bytes.lastIndex { $0 != 0 }).map { $0 + 1 } ?? 0)...)
    guard bytes.last == UInt8(ascii: "\n"), isWhole(bytes) else { return }
    try file.truncate(to: bytes.count)
    try file.sync()
    try outputPath.put(outputPath.temporary, calls)
    try outputPath.syncFolder(calls)
  }

  /// Most bytes of a small file, such as a state.
  private static let mostBytes = 256 << 20

  /// Returns the content of a small file; nil if there is none.
  ///
  /// - Parameter limit: number of bytes after which the rest is not read; nil if a longer file is an error.
  package static func contents(
    of outputPath: OutputPath, calls: SystemCalls, upTo limit: Int? = nil
  ) throws(FileError) -> [UInt8]? {
    guard let file = try Descriptor(at: outputPath.path, calls: calls) else { return nil }
    guard try file.metadata().kind == .regular else {
      throw .failed("cannot read '\(outputPath.path)': it is not a regular file")
    }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while contents.count < limit ?? .max, case let count = try file.read(into: &buffer), count > 0 {
      contents += buffer[..<count]
      guard limit != nil || contents.count <= mostBytes else {
        throw .failed("cannot read '\(outputPath.path)': it has more than \(mostBytes >> 20) MB")
      }
    }
    return contents
  }

  /// Returns the metadata of a path; nil if it does not exist.
  static func metadata(of path: String, _ calls: SystemCalls) throws(FileError) -> FileMetadata? {
    do {
      return try calls.metadata(path)
    } catch .missing {
      return nil
    } catch .notFolder {
      throw .unmade(path, .notFolder, calls)
    } catch {
      throw FileError("look at", path, error)
    }
  }

  private static func made(
    _ outputPath: OutputPath, at name: String, _ mode: UInt32?, _ calls: SystemCalls
  ) throws(FileError) -> Descriptor {
    let file = try Descriptor.made(at: name, for: outputPath.path, calls: calls)
    do {
      if let mode { try file.setMode(mode) }
    } catch {
      try? calls.remove(file.path)
      throw error
    }
    return file
  }
}

extension OutputPath {
  /// Renames a complete file to this path.
  func put(_ name: String, _ calls: SystemCalls) throws(FileError) {
    do {
      try calls.rename(name, path)
    } catch {
      throw .failed("cannot rename '\(name)' to '\(path)': \(error.reason)")
    }
  }

  /// Syncs the folder, without which a rename does not survive a power cut.
  ///
  /// Some file systems can't sync a folder.
  func syncFolder(_ calls: SystemCalls) throws(FileError) {
    do throws(SystemError) {
      let number = try calls.open(folder, .folder)
      defer { calls.close(number) }
      try calls.sync(number)
    } catch {
      if !SystemError.unsupported.contains(error) { throw FileError("sync the folder", folder, error) }
    }
  }

  func remove(_ name: String, _ calls: SystemCalls) throws(FileError) {
    do {
      try calls.remove(name)
    } catch .missing {
      return
    } catch {
      throw FileError("remove", name, error)
    }
  }
}
