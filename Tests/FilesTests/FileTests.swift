import Foundation
import JSONText
import TestSupport
import Testing

@testable import Files

@Suite("A file is the old one or the whole new one, whatever fails")
struct FileTests {
  private let old = "old\n"
  private let lines = Array((0..<500).map { "{\"line\":\($0)}\n" }.joined().utf8)

  /// All that a run does to its file.
  private func replace(_ path: String, appending: Bool, _ calls: SystemCalls) throws(FileError) {
    let outputPath = OutputPath(path, calls: calls)
    let lock = try RunLock(outputPath, calls: calls)
    var file = try ExportFile(outputPath, resuming: nil, calls: calls) { (journal) throws(FileError) in
      try journal.write(Self.line)
    }
    for _ in 0..<2 {
      try file.write(lines)
      try file.commit { Self.line($0) }
    }
    try file.replaceJournal { (journal) throws(FileError) in try journal.write(Self.line) }
    try file.finish(appending: appending) { _, _ in Self.line }
    try outputPath.tidy(calls: calls)
    withExtendedLifetime(lock) {}
  }

  private static let line = Array("{\"line\":1}\n".utf8)

  private static func line(_ position: PartialFile.Position) -> [UInt8] {
    Array("{\"size\":\(position.size),\"hash\":\(position.hash)}\n".utf8)
  }

  /// Goes on with what a run has left, from wherever it is known.
  private func goOn(_ outputPath: OutputPath, _ positions: [PartialFile.Position], _ calls: SystemCalls)
    throws(FileError)
    -> Int
  {
    guard let known = try PartialFile.Known(outputPath, positions, calls: calls) else { return -1 }
    var part = try PartialFile(outputPath, resuming: known, calls: calls)
    try part.write(Self.line)
    try part.sync()
    return known.position.size
  }

  @Test("what a folder does not take names the file and the folder, and no file beside it")
  func unmade() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/out"
    for (code, problem) in [
      (EACCES, "no file can be made in the folder '\(folder.path)': Permission denied"),
      (ENOENT, "no file can be made in the folder '\(folder.path)'"), (ENOTDIR, "'\(folder.path)' is not a folder"),
    ] {
      #expect(throws: FileError.failed("cannot write '\(path)': \(problem)")) {
        try replace(path, appending: false, .failing(.open, at: 1, with: code))
      }
    }
    #expect(throws: FileError.failed("cannot write '\(path)/none/a': there is no folder '\(path)/none'")) {
      try replace(path + "/none/a", appending: false, .system)
    }
  }

  @Test("what was left is gone on with from the last place where it is what it was")
  func resumed() throws {
    let folder = try TemporaryFolder()
    let outputPath = OutputPath(folder.path(of: "out"))
    var positions = [PartialFile.Position.start]
    do {
      var part = try PartialFile(outputPath)
      for _ in 0..<3 {
        try part.write(lines)
        try part.flush()
        positions.append(part.position)
      }
      try part.write(Array("and half a li".utf8))
      try part.flush()
    }
    #expect(try goOn(outputPath, positions, .system) == 3 * lines.count)
    #expect(try folder.readBytes("out.pagecat-part") == lines + lines + lines + Self.line)
    // As after a power cut: what was written last is not what it was, or is not there.
    _ = try folder.write(lines + Array(lines.dropLast()) + [0], to: "out.pagecat-part")
    #expect(try goOn(outputPath, positions, .system) == lines.count)
    _ = try folder.write(Array(lines.prefix(5)), to: "out.pagecat-part")
    #expect(try goOn(outputPath, positions, .system) == 0)
    #expect(try goOn(OutputPath(folder.path(of: "other")), positions, .system) == -1)
  }

  @Test(
    "a call that fails when a run is gone on with is told, and what was left can be gone on with later",
    arguments: [Call.open, .write, .read, .seek, .sync, .truncate])
  func tortureResumed(_ call: Call) throws {
    var failures = 0
    for number in 1...60 {
      let folder = try TemporaryFolder()
      let outputPath = OutputPath(folder.path(of: "out"))
      _ = try folder.write(lines, to: "out.pagecat-part")
      var fingerprint = PartialFile.Position.start
      do {
        var part = try PartialFile(OutputPath(folder.path(of: "same")))
        try part.write(lines)
        fingerprint = part.position
      }
      do throws(FileError) {
        _ = try goOn(outputPath, [fingerprint], .failing(call, at: number, with: EDQUOT))
        break
      } catch {
        failures += 1
        guard case .failed(let problem) = error else { throw error }
        #expect(problem.contains("out.pagecat-part") && problem.hasSuffix(SystemError(code: EDQUOT).reason))
        #expect(try goOn(outputPath, [fingerprint], .system) == lines.count)
      }
    }
    #expect(failures > 0)
  }

  @Test("a journal is read as far as it is good, and no further than asked")
  func journal() throws {
    let folder = try TemporaryFolder()
    let outputPath = OutputPath(folder.path(of: "out"))
    var journal = try Journal(
      Journal.Beginning(outputPath, calls: .system) { (file) throws(FileError) in
        try file.write(Array("{\"a\":1}\n".utf8))
      })
    try journal.add(Array("{\"b\":[2,{}]}\n".utf8))
    try journal.add(Array("{\"c\":3".utf8))
    func read(upTo end: Int? = nil) throws -> [String] {
      var lines: [String] = []
      #expect(try Journal.read(outputPath, upTo: end) { line, _ in lines.append(line.text) })
      return lines
    }
    #expect(try read() == [#"{"a":1}"#, #"{"b":[2,{}]}"#])
    let first = Journal.summed(Array("{\"a\":1}\n".utf8))
    #expect(try read(upTo: first.count) == [#"{"a":1}"#])
    // As after a power cut.
    _ = try folder.write(first + Array("{\"b\"\0\0\0\0\n{\"c\":1}\n".utf8), to: "out.pagecat-journal")
    #expect(try read() == [#"{"a":1}"#])
    #expect(try !Journal.read(OutputPath(folder.path(of: "other"))) { _, _ in })
  }

  @Test("a journal with a changed byte is read up to its line, and is none if that is the first")
  func changedJournal() throws {
    let folder = try TemporaryFolder()
    let outputPath = OutputPath(folder.path(of: "out"))
    let good = Journal.summed(Array("{\"a\":1}\n{\"b\":22}\n{\"c\":{\"d\":3}}\n".utf8))
    let starts = good.indices.filter { $0 == 0 || good[$0 - 1] == UInt8(ascii: "\n") }
    for index in good.indices {
      for changed in [good[index] ^ 1, UInt8(ascii: "5"), UInt8(ascii: " "), UInt8(ascii: "\n")]
      where changed != good[index] {
        var bytes = good
        bytes[index] = changed
        _ = try folder.write(bytes, to: "out.pagecat-journal")
        var lines: [String] = []
        #expect(try Journal.read(outputPath) { line, _ in lines.append(line.text) })
        let whole = [#"{"a":1}"#, #"{"b":22}"#, #"{"c":{"d":3}}"#].prefix(starts.count { $0 <= index } - 1)
        #expect(lines.filter { $0 != "null" } == Array(whole), "byte \(index): \(lines)")
      }
    }
  }

  @Test("it is replaced, with the old one's mode, and nothing is left beside it", arguments: [false, true])
  func replaced(_ appending: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(old, to: "out")
    chmod(path, 0o604)
    try replace(path, appending: appending, .system)
    #expect(try folder.readBytes("out") == (appending ? Array(old.utf8) : []) + lines + lines)
    #expect(folder.names == ["out"])
    #expect(try SystemCalls.system.metadata(path).mode == 0o604)
  }

  @Test(
    "a call that fails leaves the old file as it was, and is told with its path and reason",
    arguments: Call.ofOutputs, [false, true])
  func torture(_ call: Call, _ appending: Bool) throws {
    var failures = 0
    for number in 1...60 {
      let folder = try TemporaryFolder()
      let path = try folder.write(old, to: "out")
      do throws(FileError) {
        try replace(path, appending: appending, .failing(call, at: number, with: ENOSPC))
        break
      } catch {
        failures += 1
        guard case .failed(let problem) = error else { throw error }
        #expect(problem.hasPrefix("cannot ") && problem.contains("\(folder.path)"))
        #expect(problem.hasSuffix("No space left on device"))
        let text = try folder.readBytes("out")
        // The folder is synced when the new file has its name.
        let isRenamed = problem.contains("sync the folder") || problem.contains("cannot remove")
        #expect(text == Array(old.utf8) || isRenamed && text.suffix(lines.count) == lines)
      }
      // What was left is in nobody's way.
      try replace(path, appending: false, .system)
      #expect(folder.names == ["out"])
    }
    // Only what is copied is read, and only what another run has left is cut back.
    #expect(failures > 0 || call == .truncate || !appending && call == .read)
  }

  @Test("a second run is told who the first is, and takes over when it is gone")
  func locked() throws {
    let folder = try TemporaryFolder()
    let outputPath = OutputPath(folder.path(of: "out"))
    do {
      let first = try RunLock(outputPath)
      #expect(throws: FileError.busy(path: outputPath.path, owner: "\(getpid())")) { _ = try RunLock(outputPath) }
      withExtendedLifetime(first) {}
    }
    #expect(folder.names.isEmpty)
    // As `kill -9` leaves it.
    _ = try folder.write("12345\n", to: ".out.pagecat-lock")
    _ = try RunLock(outputPath)
    #expect(folder.names.isEmpty)
  }

  @Test("a temporary file of a dead process is removed, one of a living process is left alone")
  func stale() throws {
    let folder = try TemporaryFolder()
    let outputPath = OutputPath(folder.path(of: "rejects"))
    _ = try folder.write("left", to: ".rejects.pagecat-new")
    var file = try AtomicFile(outputPath)
    #expect(throws: FileError.busy(path: outputPath.path, owner: "")) { _ = try AtomicFile(outputPath) }
    try file.write(Array("1\n".utf8))
    try file.finish()
    #expect(try folder.read("rejects") == "1\n")
    #expect(folder.names == ["rejects"])
  }

  @Test("what another user has left is his, unless the folder is his too")
  func otherUser() throws {
    let folder = try TemporaryFolder()
    let outputPath = OutputPath(folder.path(of: "out"))
    func made(_ path: String, _ calls: SystemCalls) throws -> Int32 {
      try Descriptor.made(at: path, for: outputPath.path, calls: calls).number
    }
    for path in [outputPath.lock, outputPath.part, outputPath.journal, outputPath.temporary] {
      _ = FileManager.default.createFile(atPath: path, contents: Data())
      for (isFolderToo, fails) in [(false, true), (true, false)] {
        var calls = SystemCalls.system
        calls.metadataOfOpen = { (file) throws(SystemError) in
          var metadata = try SystemCalls.system.metadataOfOpen(file)
          metadata.owner = 1_000_001
          return metadata
        }
        calls.metadata = { (path) throws(SystemError) in
          var metadata = try SystemCalls.system.metadata(path)
          if isFolderToo { metadata.owner = 1_000_001 }
          return metadata
        }
        if fails {
          #expect(throws: FileError.inTheWay(path)) { _ = try Descriptor.left(at: path, calls: calls) == nil }
          #expect(throws: FileError.inTheWay(path)) { _ = try made(path, calls) }
        } else {
          #expect(throws: Never.self) { _ = try Descriptor.left(at: path, calls: calls) == nil }
          #expect(throws: Never.self) { _ = try made(path, calls) }
        }
      }
    }
  }

  @Test("where files can't be locked, a temporary file has a name of this process alone, and a lock is an error")
  func unlocked() throws {
    let folder = try TemporaryFolder()
    let outputPath = OutputPath(folder.path(of: "out"))
    var calls = SystemCalls.system
    calls.lock = { (_) throws(SystemError) in throw SystemError(code: ENOLCK) }
    do {
      let file = try Descriptor.made(at: outputPath.temporary, for: outputPath.path, calls: calls)
      let other = try Descriptor.made(at: outputPath.temporary, for: outputPath.path, calls: calls)
      #expect(folder.names == (0...1).map { ".out.pagecat-new-\(getpid())-\($0)" })
      withExtendedLifetime((file.number, other.number)) {}
    }
    var whole = try AtomicFile(outputPath, calls: calls)
    try whole.write(Array("1\n".utf8))
    try whole.finish()
    #expect(try folder.read("out") == "1\n")
    #expect(throws: FileError.failed("cannot lock '\(outputPath.lock)': No locks available")) {
      _ = try RunLock(outputPath, calls: calls)
    }
    #expect(!folder.names.contains(".out.pagecat-lock"))
  }

  @Test("a mode that gives rights besides those of reading, writing and running is not taken over")
  func mode() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(old, to: "out")
    chmod(path, 0o6755)
    try replace(path, appending: false, .system)
    #expect(try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) == 0o755)
  }

  @Test("links are followed, and what they lead to is replaced")
  func links() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("x", to: "data/real")
    symlink("data/real", folder.path(of: "link"))
    symlink("link", folder.path(of: "again"))
    #expect(OutputPath(folder.path(of: "again")).path == folder.path(of: "data/real"))
    #expect(OutputPath("plain").part == "plain.pagecat-part")
  }
}
