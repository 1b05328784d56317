import Foundation
import TestSupport
import Testing

@testable import Files

/// The calls below a folder, to be told which of them fails.
enum FolderCall: String, CaseIterable, Sendable {
  case openFolder, makeFolder, make, open, metadata, rename, remove, setModified
}

extension FolderCalls {
  /// Calls of which the n-th of a kind (from 1) fails.
  static func failing(_ call: FolderCall, at number: Int, with code: Int32) -> FolderCalls {
    let counter = CallCounter()
    let check: @Sendable (FolderCall) throws(SystemError) -> Void = { (made) throws(SystemError) in
      if made == call, counter.next() == number { throw SystemError(code: code) }
    }
    let system = FolderCalls.system
    var calls = system
    calls.openFolder = { (folder, name) throws(SystemError) in
      try check(.openFolder)
      return try system.openFolder(folder, name)
    }
    calls.makeFolder = { (folder, name) throws(SystemError) in
      try check(.makeFolder)
      try system.makeFolder(folder, name)
    }
    calls.make = { (folder, name) throws(SystemError) in
      try check(.make)
      return try system.make(folder, name)
    }
    calls.open = { (folder, name) throws(SystemError) in
      try check(.open)
      return try system.open(folder, name)
    }
    calls.metadata = { (folder, name) throws(SystemError) in
      try check(.metadata)
      return try system.metadata(folder, name)
    }
    calls.rename = { (folder, name, new) throws(SystemError) in
      try check(.rename)
      try system.rename(folder, name, new)
    }
    calls.remove = { (folder, name) throws(SystemError) in
      try check(.remove)
      try system.remove(folder, name)
    }
    calls.setModified = { (file, seconds) throws(SystemError) in
      try check(.setModified)
      try system.setModified(file, seconds)
    }
    return calls
  }
}

@Suite("A file below a folder is the old one or the whole new one, whatever fails")
struct SavingTests {
  private let text = [UInt8](repeating: UInt8(ascii: "x"), count: 5_000)

  /// All that a download does to its file.
  private func save(
    _ names: [String], below folder: TemporaryFolder, _ calls: SystemCalls = .system,
    _ folderCalls: FolderCalls = .system
  ) throws(FileError) {
    let root = try DownloadDirectory(path: folder.path + "/root", calls: calls, folderCalls: folderCalls)
    _ = try root.look(at: names)
    var file = try root.begin(names)
    try file.write(text)
    try file.write(text)
    try file.finish(modified: 1_000_000_000)
    var run: Set<FileIdentity> = []
    try file.finish(among: &run)
  }

  private func expectOldOrNew(in folder: TemporaryFolder, _ note: Comment) throws {
    let saved = try folder.readBytes("root/a/f")
    #expect(saved == Array("old".utf8) || saved == text + text, note)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/root/a")
    #expect(left == ["f"], note)
  }

  @Test("it is replaced with the old one's mode, gets its origin's time, and nothing is left beside it")
  func replaced() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("old", to: "root/a/f")
    chmod(path, 0o604)
    try save(["a", "f"], below: folder)
    try expectOldOrNew(in: folder, "replaced")
    let metadata = try #require(try DownloadDirectory(path: folder.path + "/root").look(at: ["a", "f"]))
    #expect(metadata.size == 10_000 && metadata.mode == 0o604 && metadata.modified == 1_000_000_000)
  }

  @Test("a call on a folder that fails is told with its path and reason", arguments: FolderCall.allCases)
  func tortureOfFolders(_ call: FolderCall) throws {
    var failures = 0
    for number in 1...20 {
      let folder = try TemporaryFolder()
      try folder.write("old", to: "root/a/f")
      do throws(FileError) {
        try save(["a", "f"], below: folder, .system, .failing(call, at: number, with: ENOSPC))
        break
      } catch {
        failures += 1
        guard case .failed(let problem) = error else { throw error }
        #expect(
          problem.hasPrefix("cannot ") && problem.contains(folder.path) && problem.hasSuffix("No space left on device"))
        try expectOldOrNew(in: folder, "\(problem)")
      }
    }
    // Nothing is in the way here: nothing is made but the file, and nothing removed.
    #expect(failures > 0 || [.makeFolder, .open, .remove].contains(call))
  }

  @Test("a call on a file that fails is told with its path and reason", arguments: Call.ofOutputs)
  func tortureOfFiles(_ call: Call) throws {
    var failures = 0
    for number in 1...40 {
      let folder = try TemporaryFolder()
      try folder.write("old", to: "root/a/f")
      do throws(FileError) {
        try save(["a", "f"], below: folder, .failing(call, at: number, with: EIO))
        break
      } catch {
        failures += 1
        guard case .failed(let problem) = error else { throw error }
        #expect(problem.hasPrefix("cannot ") && problem.contains(folder.path) && problem.contains("Input/output error"))
        try expectOldOrNew(in: folder, "\(problem)")
      }
    }
    #expect(failures > 0 || [.read, .seek, .truncate, .rename, .remove, .metadata].contains(call))
  }

  @Test("folders are made, and a folder that could not be made is told")
  func folders() throws {
    let folder = try TemporaryFolder()
    try save(["a", "b", "f"], below: folder)
    #expect(try folder.readBytes("root/a/b/f") == text + text)
    #expect(throws: FileError.failed("cannot open the folder '\(folder.path)/root/c': No space left on device")) {
      try save(["c", "f"], below: folder, .system, .failing(.makeFolder, at: 1, with: ENOSPC))
    }
    #expect(throws: FileError.failed("cannot make the folder '\(folder.path)/x/root': No such file or directory")) {
      _ = try DownloadDirectory(path: folder.path + "/x/root")
    }
  }

  @Test("a file that is given up leaves nothing, and one that a dead process left is removed")
  func givenUp() throws {
    let folder = try TemporaryFolder()
    let root = try DownloadDirectory(path: folder.path)
    var temporary = ""
    do {
      var file = try root.begin(["f"])
      try file.write(text)
      temporary = folder.names.joined()
      #expect(temporary.hasPrefix(".pagecat-") && temporary.utf8.count < 40)
      // While it is written, nobody else begins it.
      do {
        _ = try root.begin(["f"])
        Issue.record("two at once")
      } catch {
        #expect(error == .busy(path: "\(folder.path)/f", owner: ""))
      }
    }
    #expect(folder.names.isEmpty)
    try folder.write("left by a dead process", to: temporary)
    var file = try root.begin(["f"])
    var run: Set<FileIdentity> = []
    try file.finish(among: &run)
    #expect(folder.names == ["f"] && run.count == 1)
  }

  @Test("what was planted where its temporary file would be is an error that names it, and stays", arguments: 0..<5)
  func planted(_ kind: Int) throws {
    let folder = try TemporaryFolder()
    let root = try DownloadDirectory(path: folder.path)
    var name = ""
    do {
      let file = try root.begin(["f"])
      name = folder.names.joined()
      withExtendedLifetime(file.size) {}
    }
    let (path, victim) = (folder.path(of: name), try folder.write("victim", to: "victim"))
    switch kind {
    case 0: symlink(victim, path)
    case 1: symlink("nowhere", path)
    case 2: link(victim, path)
    case 3: mkfifo(path, 0o600)
    default: mkdir(path, 0o700)
    }
    do {
      _ = try root.begin(["f"])
      Issue.record("taken over")
    } catch {
      #expect(error == .inTheWay(path))
    }
    #expect(folder.names == [name, "victim"])
    #expect(try folder.read("victim") == "victim")
  }

  @Test("a file of the run is not written over under another spelling of its name")
  func writtenTwice() throws {
    let folder = try TemporaryFolder()
    let root = try DownloadDirectory(path: folder.path)
    var run: Set<FileIdentity> = []
    var first = try root.begin(["f"])
    try first.write(text)
    try first.finish(among: &run)
    // What a file system that takes both names for one would do.
    var second = try root.begin(["f"])
    do {
      try second.finish(among: &run)
      Issue.record("written over")
    } catch {
      #expect(error == .writtenTwice("\(folder.path)/f"))
    }
    #expect(try folder.readBytes("f") == text)
  }

  @Test("a link that takes a folder's place in the meantime is not followed")
  func swapped() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "root/a/f")
    try folder.write("secret", to: "elsewhere/f")
    let root = try DownloadDirectory(path: folder.path + "/root")
    _ = try root.look(at: ["a", "f"])
    try FileManager.default.moveItem(atPath: folder.path + "/root/a", toPath: folder.path + "/root/b")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/root/a", withDestinationPath: folder.path + "/elsewhere")
    do {
      _ = try root.begin(["a", "f"])
      Issue.record("followed")
    } catch {
      #expect(
        error
          == .failed(
            "cannot write below '\(folder.path)/root/a': it is a symbolic link, and none is followed; move it away, or give another 'to'"
          ))
    }
    #expect(try folder.read("elsewhere/f") == "secret")
  }
}
