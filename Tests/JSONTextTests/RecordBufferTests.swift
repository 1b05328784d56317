// Where records gather: short ones are handed over in the buffer, long ones never stand in memory twice.

import Testing

@testable import JSONText

@Suite struct RecordBufferTests {
  /// Reads all of a chunk, and ends a line where there is a semicolon.
  private func write(_ text: String, to buffer: inout RecordBuffer) {
    Array(text.utf8).withUnsafeBufferPointer { chunk in
      _ = buffer.write(chunk) { cursor in
        while cursor.index < cursor.end {
          let byte = cursor.input[cursor.index]
          if byte == UInt8(ascii: ";") { cursor.endLine() } else { cursor.put(byte) }
          cursor.index += 1
        }
      }
    }
  }

  @Test("Lines come out when they are whole, however long they are", arguments: [1, 100, 10_000])
  func lines(longRoom: Int) {
    var buffer = RecordBuffer()
    buffer.longRoom = longRoom
    var taken: [UInt8] = []
    let pieces = ["a;b", "c", ";", String(repeating: "d", count: 3_000), "e;f;", "g", ";;h"]
    for piece in pieces {
      write(piece, to: &buffer)
      taken += buffer.take()
    }
    buffer.endLine()
    taken += buffer.take()
    let expected = (pieces.joined() + ";").replacing(";", with: "\n")
    #expect(String(decoding: taken, as: UTF8.self) == expected && buffer.recordCount == 7)
    #expect(buffer.take().isEmpty)
  }

  @Test("A copy goes its own way, in long room too")
  func copies() {
    var first = RecordBuffer()
    first.longRoom = 10
    write("abc", to: &first)
    var second = first
    write("1;", to: &first)
    write("2;", to: &second)
    #expect(first.take() == Array("abc1\n".utf8) && second.take() == Array("abc2\n".utf8))
    write("x", to: &first)
    first.reset()
    write("y;", to: &first)
    #expect(first.take() == Array("y\n".utf8))
  }
}
