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
    case .other: "no regular file"
    }
  }
}
