// A downloaded file that is renamed when it is complete. Until then an existing file stays unchanged.

import JSONText

/// A file below a `DownloadDirectory` during writing; without `finish()` nothing of it remains.
package struct DownloadFile: ~Copyable, Sendable {
  private let name: String
  private let shown: String
  private let folder: OpenFolder
  private let owner: DownloadDirectory
  private let file: Descriptor
  /// Temporary name; nil after renaming.
  private var temporary: String?
  /// Number of bytes written so far.
  package private(set) var size = 0

  init(
    _ name: String, in folder: OpenFolder, of owner: DownloadDirectory, shownAs shown: String, old: EntryMetadata?
  ) throws(FileError) {
    // A short name, equal in the next run, which thus finds the file that a dead run left.
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(name.utf8))
    let temporary = ".pagecat-" + String(UInt(bitPattern: fingerprint.finalize()), radix: 16)
    file = try Self.made(temporary, in: folder, of: owner, shownAs: shown, mode: old?.mode)
    self.name = name
    self.shown = shown
    self.folder = folder
    self.owner = owner
    self.temporary = temporary
  }

  deinit {
    if let temporary { try? owner.folderCalls.remove(folder.number, temporary) }
  }

  package mutating func write(_ bytes: [UInt8]) throws(FileError) {
    try file.write(bytes)
    size += bytes.count
  }

  /// Syncs the complete file, so that its name never leads to a partial file after a power cut.
  ///
  /// - Parameter modified: time of its last change in Unix seconds, according to the origin.
  package func finish(modified: Int?) throws(FileError) {
    if let modified {
      do {
        try owner.folderCalls.setModified(file.number, modified)
      } catch {
        throw FileError("set the time of", shown, error)
      }
    }
    try file.sync()
  }

  /// Renames the file to its name.
  ///
  /// - Parameter run: files that the run has written, which must not be replaced; this file is added. On file systems
  ///   where two spellings are one name, only this reveals that two paths are the same.
  package mutating func finish(among run: inout Set<FileIdentity>) throws(FileError) {
    guard let made = temporary else { return }
    if let there = try owner.metadata(of: name, in: folder, shownAs: shown)?.identity, run.contains(there) {
      throw .writtenTwice(shown)
    }
    do {
      try owner.folderCalls.rename(folder.number, made, name)
      temporary = nil
      run.insert(try file.identity())
    } catch {
      throw .failed("cannot rename a temporary file to '\(shown)': \(error.reason)")
    }
  }

  /// Creates the temporary file, locked for the lifetime of the process.
  ///
  /// An existing file without a lock was left by a dead process, and is removed.
  private static func made(
    _ temporary: String, in folder: OpenFolder, of owner: DownloadDirectory, shownAs shown: String, mode: UInt32?
  ) throws(FileError) -> Descriptor {
    while true {
      let number: Int32
      do throws(SystemError) {
        number = try owner.folderCalls.make(folder.number, temporary)
      } catch .exists {
        try removeStale(temporary, in: folder, of: owner, shownAs: shown)
        continue
      } catch {
        throw FileError("make", shown, error)
      }
      let file = Descriptor(number: number, path: shown, calls: owner.calls)
      do throws(SystemError) {
        try owner.calls.lock(number)
        // Before the lock, another process may have removed the file as stale.
        guard try file.isStill(temporary, in: folder, owner.folderCalls) else { continue }
        if let mode { try owner.calls.setMode(number, mode) }
        return file
      } catch .held {
        continue
      } catch {
        try? owner.folderCalls.remove(folder.number, temporary)
        throw FileError("make", shown, error)
      }
    }
  }

  private static func removeStale(
    _ temporary: String, in folder: OpenFolder, of owner: DownloadDirectory, shownAs shown: String
  ) throws(FileError) {
    do throws(SystemError) {
      let number = try owner.folderCalls.open(folder.number, temporary)
      let stale = Descriptor(number: number, path: shown, calls: owner.calls)
      let metadata = try owner.calls.metadataOfOpen(number)
      guard metadata.kind == .regular else { throw SystemError.exists }
      try owner.calls.lock(stale.number)
      // A run of this user left no file with a second name, and no file of a third user.
      let folderOwner = try owner.calls.metadataOfOpen(folder.number).owner
      guard metadata.nameCount <= 1, [userNumber, folderOwner].contains(metadata.owner) else {
        throw SystemError.exists
      }
      guard try stale.isStill(temporary, in: folder, owner.folderCalls) else { return }
      try owner.folderCalls.remove(folder.number, temporary)
    } catch .missing {
      return
    } catch .held {
      throw .busy(path: shown, owner: "")
    } catch  where [.exists, .isLink, .isFolder, .noDevice].contains(error) {
      throw .inTheWay(OutputPath(path: shown).neighbour(temporary))
    } catch {
      throw FileError("remove what another run left of", shown, error)
    }
  }
}

extension Descriptor {
  fileprivate func identity() throws(SystemError) -> FileIdentity {
    let numbers = try calls.metadataOfOpen(number).identity
    return FileIdentity(device: numbers[0], inode: numbers[1])
  }

  /// Reports that a name in a folder still leads to this file.
  fileprivate func isStill(
    _ name: String, in folder: OpenFolder, _ folderCalls: FolderCalls
  ) throws(SystemError) -> Bool {
    do {
      return try folderCalls.metadata(folder.number, name).identity == identity()
    } catch {
      if error == .missing { return false }
      throw error
    }
  }
}

extension FileError {
  /// Returns the error for a second path to one file, on a file system where two spellings are one name.
  package static func writtenTwice(_ path: String) -> FileError {
    .failed("cannot write '\(path)': to this file system it is another file of this run, spelled differently")
  }
}
