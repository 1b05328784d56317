// The folder below which files are saved under names that somebody else chose.

import JSONText

/// A folder that stays open. Whatever is saved stays below it: folders in it are opened one by one, and a symbolic link
/// is none, wherever it leads.
package final class DownloadDirectory: Sendable {
  /// As it was named, for messages.
  let path: String
  let calls: SystemCalls
  let folderCalls: FolderCalls
  private let root: OpenFolder
  /// Files that are not to be replaced.
  private let kept: Set<OutputPath.FileID>

  /// Opens the folder, which is made where there is none.
  ///
  /// - Parameter kept: files that are not to be replaced (`isKept`), wherever they are.
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

  /// What stands at the end of a way of names; nil when nothing does. Anything but a regular file is a fault.
  package func look(at names: [String]) throws(FileError) -> EntryMetadata? {
    guard let name = names.last, let folder = try open(names.dropLast(), making: false) else { return nil }
    guard let found = try facts(of: name, in: folder, shownAs: shown(names)) else { return nil }
    guard found.kind == .regular else {
      throw .failed("cannot write '\(shown(names))': it is \(found.kind.words)")
    }
    return found
  }

  /// Whether a way of names leads to a file that is not to be replaced, or that is to be made.
  package func isKept(_ names: [String]) -> Bool {
    guard !kept.isEmpty, let name = names.last, let folder = try? open(names.dropLast(), making: false),
      let facts = try? calls.factsOfOpen(folder.number)
    else { return false }
    return kept.contains(OutputPath.FileID(folder: facts.identity, name: name))
  }

  /// Begins a file at the end of a way of names, whose folders are made where they are not there.
  package func begin(_ names: [String]) throws(FileError) -> DownloadFile {
    guard let name = names.last, let folder = try open(names.dropLast(), making: true) else {
      throw .failed("cannot write '\(shown(names))': it has no name")
    }
    return try DownloadFile(name, in: folder, of: self, shownAs: shown(names), old: try look(at: names))
  }

  /// A path as messages have it.
  func shown(_ names: some Sequence<String>) -> String {
    let names = names.joined(separator: "/")
    return path == "." ? names : path.utf8.last == UInt8(ascii: "/") ? path + names : "\(path)/\(names)"
  }

  // MARK: Folders

  /// Nil when one of them is not there, and none are made.
  private func open(_ names: ArraySlice<String>, making: Bool) throws(FileError) -> OpenFolder? {
    var folder = root
    for (index, name) in names.enumerated() {
      let way = shown(names.prefix(index + 1))
      do throws(SystemError) {
        folder = try enter(name, in: folder, making: making)
      } catch .missing where !making {
        return nil
      } catch {
        let kind = try? folderCalls.facts(folder.number, name).kind
        guard let kind, kind != .folder else { throw FileError("open the folder", way, error) }
        throw .failed("cannot write below '\(way)': it is \(kind.words)")
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
      // Another file of the run may have needed it too.
      if error != .exists { throw error }
    }
    return OpenFolder(number: try folderCalls.openFolder(folder.number, name), calls: calls)
  }

  func facts(
    of name: String, in folder: OpenFolder, shownAs path: String
  ) throws(FileError) -> EntryMetadata? {
    do {
      return try folderCalls.facts(folder.number, name)
    } catch .missing {
      return nil
    } catch {
      throw FileError("look at", path, error)
    }
  }
}

extension EntryMetadata.Kind {
  /// To follow "it is".
  var words: String {
    switch self {
    case .regular: "a file"
    case .folder: "a folder"
    case .link: "a symbolic link, and none is followed"
    case .other: "something that is no regular file"
    }
  }
}
