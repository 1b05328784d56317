import Foundation
import TestSupport
import Testing

@testable import Emitting

@Suite("A file is the old one or the whole new one, whatever fails")
struct FileTests {
  private let old = "old\n"
  private let lines = Array((0..<500).map { "{\"line\":\($0)}\n" }.joined().utf8)

  /// All that a run does to its file.
  private func replace(_ path: String, appending: Bool, _ calls: SystemCalls) throws(EmitFault) {
    let place = FilePlace(path, calls: calls)
    let lock = try RunLock(place, calls: calls)
    var part = try PartFile(place, calls: calls)
    try part.write(lines)
    try part.write(lines)
    try part.finish(appending: appending)
    withExtendedLifetime(lock) {}
  }

  @Test("it is replaced, with the old one's mode, and nothing is left beside it", arguments: [false, true])
  func replaced(_ appending: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(old, to: "out")
    chmod(path, 0o604)
    try replace(path, appending: appending, .system)
    #expect(try folder.readBytes("out") == (appending ? Array(old.utf8) : []) + lines + lines)
    #expect(folder.names == ["out"])
    #expect(try SystemCalls.system.facts(path).mode == 0o604)
  }

  @Test(
    "a call that fails leaves the old file as it was, and is told with its path and reason",
    arguments: Call.allCases, [false, true])
  func torture(_ call: Call, _ appending: Bool) throws {
    var failures = 0
    for number in 1...60 {
      let folder = try TemporaryFolder()
      let path = try folder.write(old, to: "out")
      do throws(EmitFault) {
        try replace(path, appending: appending, .failing(call, at: number, with: ENOSPC))
        break
      } catch {
        failures += 1
        guard case .failed(let problem) = error else { throw error }
        #expect(problem.hasPrefix("cannot ") && problem.contains("\(folder.path)"))
        #expect(problem.hasSuffix("No space left on device"))
        let text = try folder.readBytes("out")
        // The folder is synced when the new file has its name.
        let isRenamed = problem.contains("sync the folder") || problem.contains("remove")
        #expect(text == Array(old.utf8) || isRenamed && text.suffix(lines.count) == lines)
      }
      // What was left is in nobody's way.
      try replace(path, appending: false, .system)
      #expect(folder.names == ["out"])
    }
    // What replaces a file neither reads nor seeks in it.
    #expect(failures > 0 || !appending && [.read, .seek].contains(call))
  }

  @Test("a second run is told who the first is, and takes over when it is gone")
  func locked() throws {
    let folder = try TemporaryFolder()
    let place = FilePlace(folder.path(of: "out"))
    do {
      let first = try RunLock(place)
      #expect(throws: EmitFault.busy(path: place.path, owner: "\(getpid())")) { _ = try RunLock(place) }
      withExtendedLifetime(first) {}
    }
    #expect(folder.names.isEmpty)
    // As `kill -9` leaves it.
    _ = try folder.write("12345\n", to: ".out.pagecat-lock")
    _ = try RunLock(place)
    #expect(folder.names.isEmpty)
  }

  @Test("a temporary file of a dead process is removed, one of a living process is left alone")
  func stale() throws {
    let folder = try TemporaryFolder()
    let place = FilePlace(folder.path(of: "rejects"))
    _ = try folder.write("left", to: ".rejects.pagecat-new")
    var file = try WholeFile(place)
    #expect(throws: EmitFault.busy(path: place.path, owner: "")) { _ = try WholeFile(place) }
    try file.write(Array("1\n".utf8))
    try file.finish()
    #expect(try folder.read("rejects") == "1\n")
    #expect(folder.names == ["rejects"])
  }

  @Test("links are followed, and what they lead to is replaced")
  func links() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("x", to: "data/real")
    symlink("data/real", folder.path(of: "link"))
    symlink("link", folder.path(of: "again"))
    #expect(FilePlace(folder.path(of: "again")).path == folder.path(of: "data/real"))
    #expect(FilePlace("plain").part == "plain.pagecat-part")
  }
}
