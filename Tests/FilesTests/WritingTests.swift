import Foundation
import TestSupport
import Testing

@testable import Files

@Suite("Lines are written whole, or the failure is told")
struct LineWriterTests {
  @Test("what is written comes out in order, small and large, after a flush")
  func order() async throws {
    let pipe = Pipe()
    let lines = [1, 70_000, 3, 65_536, 65_535, 2, 1_000_000].map { size in
      [UInt8](repeating: UInt8(ascii: "a") + UInt8(size % 7), count: size) + [10]
    }
    async let read = blocking { try pipe.fileHandleForReading.readToEnd() ?? Data() }
    try await blocking {
      var writer = LineWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "pipe")
      for line in lines { try writer.write(line) }
      try writer.flush()
      try pipe.fileHandleForWriting.close()
    }
    #expect(try await Array(read) == lines.flatMap { $0 })
  }

  @Test("a small line waits for a flush")
  func buffering() throws {
    let pipe = Pipe()
    var writer = LineWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "pipe")
    try writer.write(Array("1\n".utf8))
    var entry = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 0) == 0)
    try writer.flush()
    #expect(pipe.fileHandleForReading.availableData == Data("1\n".utf8))
  }

  @Test("a reader that left is readerGone, and is seen without writing")
  func readerGone() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    var writer = LineWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "pipe")
    let before = writer.isReaderGone
    try pipe.fileHandleForReading.close()
    let after = writer.isReaderGone
    #expect(!before && after)
    try writer.write([49, 10])
    do {
      try writer.flush()
      Issue.record("the flush must fail")
    } catch {
      #expect(error == .readerGone)
    }
  }

  @Test("a terminal that hung up has no reader any more")
  func hangUp() throws {
    var (master, terminal): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &terminal, nil, nil, nil) == 0)
    defer { close(terminal) }
    let writer = LineWriter(descriptor: terminal, name: "terminal")
    let before = writer.isReaderGone
    close(master)
    let after = writer.isReaderGone
    #expect(!before && after)
  }

  @Test(
    "a full device is an error with its reason", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func full() throws {
    let descriptor = open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    var writer = LineWriter(descriptor: descriptor, name: "standard output")
    try writer.write([49, 10])
    do {
      try writer.flush()
      Issue.record("the flush must fail")
    } catch {
      #expect(error == .failed("cannot write to standard output: No space left on device"))
    }
  }

  #if os(Linux)
    @Test("a pipe that is widened takes more without a reader, and a file stays as it is")
    func widened() throws {
      let pipe = Pipe()
      let descriptor = pipe.fileHandleForWriting.fileDescriptor
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let bytes = [UInt8](repeating: 10, count: 128 << 10)
      let writer = LineWriter(descriptor: descriptor, name: "pipe")
      writer.widen()
      #expect(write(descriptor, bytes, bytes.count) == bytes.count)
      let file = open("/dev/null", O_WRONLY)
      defer { close(file) }
      PipeRoom.widen(file)
      #expect(write(file, bytes, bytes.count) == bytes.count)
    }
  #endif

  @Test("a descriptor that somebody made non-blocking loses nothing")
  func nonBlocking() async throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    async let read = blocking { try pipe.fileHandleForReading.readToEnd() ?? Data() }
    let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
    try await blocking {
      var writer = LineWriter(descriptor: descriptor, name: "pipe")
      try writer.write(bytes)
      try writer.flush()
      try pipe.fileHandleForWriting.close()
    }
    #expect(try await Array(read) == bytes)
  }
}
