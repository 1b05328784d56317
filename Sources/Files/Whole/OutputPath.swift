// Where a file is written, and what stands beside it while it is.

import JSONText

/// A file that is to be written whole: links followed, so that what is replaced is the file and not a link to it. What is no
/// regular file is written as it stands: a pipe has no other name than its descriptor's (`/dev/stderr`).
package struct OutputPath: Hashable, Sendable {
  package let path: String

  package init(_ path: String, calls: SystemCalls = .system) {
    var path = path
    // As many links as Linux follows.
    for _ in 0..<40 {
      guard let target = calls.linkTarget(path), (try? calls.facts(path))?.kind != .other else { break }
      path = target.utf8.first == UInt8(ascii: "/") ? target : Self.joined(Self.folder(of: path), target)
    }
    self.path = path
  }

  /// As it stands.
  init(path: String) {
    self.path = path
  }

  package var folder: String { Self.folder(of: path) }
  private var name: String { path.slashSeparated.last { !$0.isEmpty } ?? path }

  /// What a run has written so far. It is there until the run has succeeded.
  package var part: String { path + ".pagecat-part" }
  /// What a run needs to go on.
  package var journal: String { path + ".pagecat-journal" }
  /// Held while a run writes the file.
  var lock: String { Self.joined(folder, ".\(name).pagecat-lock") }
  /// A file on its way to this path that nobody goes on with.
  var temporary: String { Self.joined(folder, ".\(name).pagecat-new") }

  /// The file, and all that a run may have beside it.
  package var all: [OutputPath] { [path, part, journal, lock, temporary].map { OutputPath(path: $0) } }

  /// Removes what a run has left beside the file.
  package func tidy(calls: SystemCalls) throws(FileError) {
    try remove(part, calls)
    try remove(journal, calls)
  }

  /// What tells a place from others, however they are spelled.
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

  /// Nil where there is no such folder.
  package func fileID(calls: SystemCalls) -> FileID? {
    (try? calls.facts(folder)).map { FileID(folder: $0.identity, name: name) }
  }

  /// What is there under a path; nil when nothing is.
  package static func facts(of path: String, calls: SystemCalls) throws(FileError) -> FileMetadata? {
    try AtomicFile.facts(of: path, calls)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func joined(_ folder: String, _ name: String) -> String {
    folder == "." ? name : folder == "/" ? "/" + name : "\(folder)/\(name)"
  }
}
