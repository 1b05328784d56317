// The path of an output file, and the paths of the files beside it during a run.

import JSONText

/// The path of a file that is replaced as a whole.
///
/// Links are followed, so that the file is replaced, and not a link to it. A path that is not a regular file is used as
/// it is: a pipe may only have the name of its descriptor (`/dev/stderr`).
package struct OutputPath: Hashable, Sendable {
  package let path: String

  package init(_ path: String, calls: SystemCalls = .system) {
    var path = path
    // Linux follows as many links.
    for _ in 0..<40 {
      guard let target = calls.linkTarget(path), (try? calls.metadata(path))?.kind != .other else { break }
      path = target.utf8.first == UInt8(ascii: "/") ? target : Self.joined(Self.folder(of: path), target)
    }
    self.path = path
  }

  /// Takes a path without following links.
  init(path: String) {
    self.path = path
  }

  package var folder: String { Self.folder(of: path) }
  private var name: String { path.slashSeparated.last { !$0.isEmpty } ?? path }

  /// The partial file: the records that a run has written so far.
  ///
  /// It exists until the run has succeeded.
  package var part: String { beside(".pagecat-part") }
  /// The journal, from which a run is resumed.
  package var journal: String { beside(".pagecat-journal") }
  /// The recording until it is complete.
  package var recording: String { beside(".pagecat-har") }
  /// The file that is locked while a run writes.
  var lock: String { beside(".pagecat-lock", isHidden: true) }
  /// A temporary file that will be renamed to this path, and that no run resumes.
  package var temporary: String { beside(".pagecat-new", isHidden: true) }

  /// Limit for the length of a file's name, in bytes.
  private static let longestName = 255

  /// Another file in the same folder.
  package func neighbour(_ name: String) -> String { Self.joined(folder, name) }

  /// A path beside the file.
  ///
  /// If the name would be too long, a hash replaces the end of the file's own name.
  private func beside(_ ending: String, isHidden: Bool = false) -> String {
    let start = isHidden ? "." : ""
    let room = Self.longestName - start.utf8.count - ending.utf8.count
    guard name.utf8.count > room else { return neighbour(start + name + ending) }
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(name.utf8))
    let hash = "~" + String(UInt(bitPattern: fingerprint.finalize()), radix: 16)
    var kept = name[...]
    while kept.utf8.count > room - hash.utf8.count { kept.removeLast() }
    return neighbour(start + kept + hash + ending)
  }

  /// The file, and all files that a run may have beside it.
  package var all: [OutputPath] { [path, part, journal, recording, lock, temporary].map { OutputPath(path: $0) } }

  /// Deletes the files that a run has left beside the file.
  package func tidy(calls: SystemCalls) throws(FileError) {
    try removePart(calls: calls)
    try removeJournal(calls: calls)
  }

  package func removeFile(calls: SystemCalls) throws(FileError) { try remove(path, calls) }

  package func removePart(calls: SystemCalls) throws(FileError) { try remove(part, calls) }

  package func removeJournal(calls: SystemCalls) throws(FileError) { try remove(journal, calls) }

  /// Makes the folder of the file, and those above it, if they are not there.
  package func makeFolder(_ calls: FolderCalls = .system) throws(FileError) {
    let folder = folder.utf8
    var end = folder.startIndex
    while end < folder.endIndex {
      end = folder[end...].dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? folder.endIndex
      let path = String(folder[..<end]) ?? ""
      do {
        try calls.makeFolder(FolderCalls.currentFolder, path)
      } catch {
        // A folder above may be one in which nothing can be made, and be there all the same.
        if error != .exists, (try? SystemCalls.system.metadata(path)) == nil {
          throw FileError("make the folder", path, error)
        }
      }
    }
  }

  /// The identity of a path, whatever its spelling.
  package struct FileID: Hashable, Sendable {
    /// Device and inode.
    private let folder: [UInt64]
    private let name: String

    init(folder: [UInt64], name: String) {
      self.folder = folder
      #if canImport(Darwin)
        self.name = name.lowercased()
      #else
        self.name = name
      #endif
    }
  }

  /// Returns the identity of the path, by the nearest folder above it that exists; nil if there is none.
  package func fileID(calls: SystemCalls) -> FileID? {
    var (folder, name) = (folder, name)
    while true {
      if let metadata = try? calls.metadata(folder) { return FileID(folder: metadata.identity, name: name) }
      while folder.utf8.count > 1, folder.hasSuffix("/") { folder.removeLast() }
      let missing = OutputPath(path: folder)
      guard ![".", "/"].contains(folder) else { return nil }
      if missing.name != "." { name = missing.name + "/" + name }
      folder = missing.folder
    }
  }

  /// Returns the metadata of a path; nil if it does not exist.
  package static func metadata(of path: String, calls: SystemCalls) throws(FileError) -> FileMetadata? {
    try AtomicFile.metadata(of: path, calls)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func joined(_ folder: String, _ name: String) -> String {
    folder == "." ? name : folder == "/" ? "/" + name : "\(folder)/\(name)"
  }
}

/// An open folder that is closed when its last owner releases it.
final class OpenFolder: Sendable {
  let number: Int32
  private let calls: SystemCalls

  init(number: Int32, calls: SystemCalls) {
    self.number = number
    self.calls = calls
  }

  deinit {
    calls.close(number)
  }
}

extension FileError {
  /// Returns the error for a file, or one beside it, that the system can't create in its folder.
  package static func unmade(_ path: String, _ error: SystemError, _ calls: SystemCalls) -> FileError {
    let folder = OutputPath(path: path).folder
    let problem =
      switch error {
      case .missing where (try? calls.metadata(folder)) == nil: "there is no folder '\(folder)'"
      case .notFolder: "'\(folder)' is not a folder"
      case .missing: "no file can be made in the folder '\(folder)'"
      default: "no file can be made in the folder '\(folder)': \(error.reason)"
      }
    return .failed("cannot write '\(path)': \(problem)")
  }
}

// MARK: One run at a time for a file: a lock that survives renaming the file, and ends with the process

/// The lock of a file that runs replace.
///
/// It is an advisory lock (flock) on a file beside it. A lock on the file itself would disappear with the name. The kernel releases the lock when the process ends, however it ends. After `kill -9` an unlocked file
/// remains, which the next run replaces.
package struct RunLock: ~Copyable, Sendable {
  private let file: Descriptor

  /// Takes the lock.
  ///
  /// - Throws: `FileError.busy` if another run holds it.
  package init(_ outputPath: OutputPath, calls: SystemCalls = .system) throws(FileError) {
    let file = try Descriptor.made(at: outputPath.lock, for: outputPath.path, isLock: true, calls: calls)
    do {
      try file.write(Array("\(processNumber)\n".utf8))
    } catch {
      try? calls.remove(outputPath.lock)
      throw error
    }
    self.file = file
  }

  deinit {
    // Remove the file while it is locked, so that a process that has just opened it notices. A remaining file is
    // harmless.
    try? file.calls.remove(file.path)
  }
}

/// The lock of a journal, which a run holds from the release of its other locks to the end of its process.
///
/// Without it, a run that begins meanwhile would think that the run was interrupted before it deleted its journal.
package struct JournalLock: ~Copyable, Sendable {
  private let file: Descriptor

  /// Takes the lock; nil if there is no journal, or if its file can't be locked.
  ///
  /// - Throws: `FileError.busy` if another run holds it.
  package init?(_ outputPath: OutputPath, calls: SystemCalls) throws(FileError) {
    guard let file = try Descriptor.left(at: outputPath.journal, calls: calls) else { return nil }
    switch try file.lock() {
    case .taken: self.file = file
    case .held: throw .busy(path: outputPath.path, owner: "")
    case .impossible: return nil
    }
  }
}
