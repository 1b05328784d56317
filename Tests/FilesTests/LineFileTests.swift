import JSONText
import TestSupport
import Testing

@testable import Files

@Suite("A file of records that is read again")
struct LineFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path(of: "file") }

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  /// The lines of the file, and what is known of it then.
  private func read(knownAs known: CompactFile? = nil) throws -> (lines: String, known: CompactFile?) {
    let file = try #require(try LineFile(at: path, calls: .system))
    var bytes: [UInt8] = []
    let found = try file.readLines(RecordKeys([]), knownAs: known) { (lines, keys) throws(FileError) in
      #expect(lines.last == UInt8(ascii: "\n"))
      #expect(keys.lines.count == lineCount(of: lines))
      bytes += lines
    }
    return (String(decoding: bytes, as: UTF8.self), found)
  }

  @Test("gives the same lines, without validating them, while it does not change")
  func readsKnownLines() throws {
    // Lines that are longer than a read, and lines that end where a read ends.
    let long = "\"" + String(repeating: "x", count: 700_000) + "\"\n"
    let text = String(repeating: "[1,2]\n", count: 50_000) + long + "{\"a\":1}\n" + long
    try folder.write(text, to: "file")
    let first = try read()
    #expect(first.known != nil)
    let second = try read(knownAs: first.known)
    #expect(second.lines == text)
    #expect(second.known == first.known)
  }

  @Test("is validated again after a change, even of as many bytes")
  func validatesChanges() throws {
    try folder.write("[1]\n[2]\n", to: "file")
    let known = try read().known
    try folder.write("[1]\n[2}\n", to: "file")
    #expect(throws: FileError.self) { try read(knownAs: known) }
  }

  @Test(
    "is not known as compact where bytes are no lines as they stand",
    arguments: ["[1, 2]\n", "[1]\r\n", "[1]", "\n[1]", "\u{FEFF}[1]\n", "[1]\n\n", " [1]"])
  func noticesOtherText(_ text: String) throws {
    try folder.write(text, to: "file")
    let first = try read()
    #expect(first.known == nil)
    #expect(["[1]\n", "[1,2]\n"].contains(first.lines))
  }

  @Test(
    "names the line of a mistake, wherever the parts that are read at once begin",
    arguments: [1, 2, 40_000, 60_000, 60_001, 150_000], ["{\"a\":}", "[1", "\u{FEFF}[1]"])
  func namesTheLine(_ number: Int, _ mistake: String) throws {
    var lines = [String](repeating: "[1,2,3]", count: 200_000)
    lines[99] = ""
    lines[number] = mistake
    try folder.write(lines.joined(separator: "\n"), to: "file")
    let error = #expect(throws: FileError.self) { try read() }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("line \(number + 1),"))
  }

  @Test("has no lines when it is empty")
  func readsNothing() throws {
    try folder.write("", to: "file")
    #expect(try read().lines == "")
  }
}
