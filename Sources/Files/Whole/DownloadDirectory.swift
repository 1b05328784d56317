// The folder of downloads, whose names come from outside.

import JSONText

/// An open folder; downloads stay below it.
///
/// Subfolders are opened one by one, and symbolic links are not followed.
package final class DownloadDirectory: Sendable {
  /// Path for messages, as the user gave it.
  let path: String
  let calls: SystemCalls
  let folderCalls: FolderCalls
  private let root: OpenFolder
  /// Files that must not be replaced.
  private let kept: Set<OutputPath.FileID>

  /// Opens the folder, and creates a missing one.
  ///
  /// - Parameter kept: files that must not be replaced (`isKept`), wherever they are.
  package init(
    path: String, keeping kept: [OutputPath] = [], calls: SystemCalls = .system, folderCalls: FolderCalls = .system
  ) throws(FileError) {
    self.path = path
    self.kept = Set(kept.compactMap { $0.fileID(calls: calls) })
    self.calls = calls
    self.folderCalls = folderCalls
    let number: Int32
    do throws(SystemError) {
      number = try calls.open(path, .folder)
    } catch .missing {
      number = try Self.made(path, calls, folderCalls)
    } catch {
      throw FileError("open the folder", path, error)
    }
    root = OpenFolder(number: number, calls: calls)
  }

  private static func made(_ path: String, _ calls: SystemCalls, _ folderCalls: FolderCalls) throws(FileError) -> Int32
  {
    do throws(SystemError) {
      try folderCalls.makeFolder(FolderCalls.currentFolder, path)
      return try calls.open(path, .folder)
    } catch {
      throw FileError("make the folder", path, error)
    }
  }

  /// Returns the metadata of the file at a path; nil if it does not exist.
  ///
  /// Anything but a regular file is an error.
  package func look(at names: [String]) throws(FileError) -> EntryMetadata? {
    guard let name = names.last, let folder = try open(names.dropLast(), making: false) else { return nil }
    guard let found = try metadata(of: name, in: folder, shownAs: shown(names)) else { return nil }
    guard found.kind == .regular else {
      throw .failed("cannot write '\(shown(names))': it is \(found.kind.words); move it away, or give another 'to'")
    }
    return found
  }

  /// Reports that a path leads to a file that must not be replaced, even if it does not exist yet.
  package func isKept(_ names: [String]) -> Bool {
    guard !kept.isEmpty, let name = names.last, let folder = try? open(names.dropLast(), making: false),
      let metadata = try? calls.metadataOfOpen(folder.number)
    else { return false }
    return kept.contains(OutputPath.FileID(folder: metadata.identity, name: name))
  }

  /// Starts a file at a path, and creates missing folders.
  package func begin(_ names: [String]) throws(FileError) -> DownloadFile {
    guard let name = names.last, let folder = try open(names.dropLast(), making: true) else {
      throw .failed("cannot write '\(shown(names))': it has no name")
    }
    return try DownloadFile(name, in: folder, of: self, shownAs: shown(names), old: try look(at: names))
  }

  /// Returns a path for messages.
  func shown(_ names: some Sequence<String>) -> String {
    let names = names.joined(separator: "/")
    return path == "." ? names : path.utf8.last == UInt8(ascii: "/") ? path + names : "\(path)/\(names)"
  }

  // MARK: Folders

  /// Opens the subfolder at a path; nil if one is missing and must not be created.
  private func open(_ names: ArraySlice<String>, making: Bool) throws(FileError) -> OpenFolder? {
    var folder = root
    for (index, name) in names.enumerated() {
      let way = shown(names.prefix(index + 1))
      do throws(SystemError) {
        folder = try enter(name, in: folder, making: making)
      } catch .missing where !making {
        return nil
      } catch {
        let kind = try? folderCalls.metadata(folder.number, name).kind
        guard let kind, kind != .folder else { throw FileError("open the folder", way, error) }
        throw .failed("cannot write below '\(way)': it is \(kind.words); move it away, or give another 'to'")
      }
    }
    return folder
  }

  private func enter(_ name: String, in folder: OpenFolder, making: Bool) throws(SystemError) -> OpenFolder {
    do {
      return OpenFolder(number: try folderCalls.openFolder(folder.number, name), calls: calls)
    } catch {
      guard making, error == .missing else { throw error }
    }
    do {
      try folderCalls.makeFolder(folder.number, name)
    } catch {
      // Another download of the run may have created the folder.
      if error != .exists { throw error }
    }
    return OpenFolder(number: try folderCalls.openFolder(folder.number, name), calls: calls)
  }

  func metadata(
    of name: String, in folder: OpenFolder, shownAs path: String
  ) throws(FileError) -> EntryMetadata? {
    do {
      return try folderCalls.metadata(folder.number, name)
    } catch .missing {
      return nil
    } catch {
      throw FileError("look at", path, error)
    }
  }
}

extension EntryMetadata.Kind {
  /// Description of the kind, to follow "it is".
  var words: String {
    switch self {
    case .regular: "a file"
    case .folder: "a folder"
    case .link: "a symbolic link, and none is followed"
    case .other: "not a regular file"
    }
  }
}

// A downloaded file that is renamed when it is complete. Until then an existing file stays unchanged.

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
