import Primitives
import Files
import Foundation
import JSONText
import TestSupport
import Testing
import Wire

@testable import Engine

@Suite("What an interrupted run has left")
struct InterruptedRunTests {
  private static let header = #"{"pagecat":"0","journal":11,"now":1700000000}"#

  /// Writes three commits of one line each, as a run that is killed behind them.
  private func killed(in folder: borrowing TemporaryFolder, header: String = Self.header) throws -> OutputPath {
    let outputPath = OutputPath(folder.path + "/out")
    var file = try ExportFile(outputPath, resuming: nil) { (journal) throws(FileError) in
      try journal.write(Array((header + "\n").utf8))
    }
    for number in 1...3 {
      try file.write(Array("{\"n\":\(number)}\n".utf8))
      try file.commit { position in
        Array(#"{"commit":\#(position.size),"hash":\#(position.hash),"records":\#(number),"stages":[]}"#.utf8) + [10]
      }
    }
    try file.sync()
    return outputPath
  }

  private func left(_ outputPath: OutputPath) throws -> InterruptedRun? {
    try InterruptedRun(outputPath, .system) { Spool(environment: [:]) }
  }

  private func cut(_ path: String, to size: UInt64) throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: size)
    try file.close()
  }

  @Test("is the last commit that the partial file confirms")
  func confirmed() throws {
    let folder = try TemporaryFolder()
    let outputPath = try killed(in: folder)
    #expect(try left(outputPath)?.state.commit?["records"]?.integer == 3)
    // A power cut has taken bytes that the journal tells of.
    try cut(outputPath.part, to: 10)
    #expect(try left(outputPath)?.state.commit?["records"]?.integer == 1)
    #expect(try left(outputPath)?.header.start == 1_700_000_000)
    try cut(outputPath.part, to: 3)
    #expect(try left(outputPath)?.state.commit == nil)
  }

  @Test("is not what a journal says of other bytes")
  func changed() throws {
    let folder = try TemporaryFolder()
    let outputPath = try killed(in: folder)
    _ = try folder.write("{\"n\":1}\n{\"n\":9}\n{\"n\":3}\n", to: "out.pagecat-part")
    #expect(try left(outputPath)?.state.commit?["records"]?.integer == 1)
  }

  @Test("a line of the journal that is cut short is none")
  func cutJournal() throws {
    let folder = try TemporaryFolder()
    let outputPath = try killed(in: folder)
    let journal = try folder.read("out.pagecat-journal")
    try cut(outputPath.journal, to: UInt64(journal.utf8.count - 3))
    #expect(try left(outputPath)?.state.commit?["records"]?.integer == 2)
  }

  @Test("is nothing without a journal or a partial file, and refused with a journal of another version")
  func missing() throws {
    let folder = try TemporaryFolder()
    #expect(try left(OutputPath(folder.path + "/out")) == nil)
    let outputPath = try killed(in: folder, header: #"{"pagecat":"9","journal":99,"now":1}"#)
    #expect(throws: SpecError.self) { try left(outputPath) }
    try cut(outputPath.journal, to: 0)
    #expect(try left(outputPath) == nil)
    let other = try killed(in: folder)
    try FileManager.default.removeItem(atPath: other.part)
    #expect(try left(other) == nil)
  }
}
