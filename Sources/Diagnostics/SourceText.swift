// A text that a person wrote, and places in it.

/// A place in a text: line and column from 1, the column in Unicode scalars.
package struct Place: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let line: Int
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (a: Place, b: Place) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }

  package var description: String { "\(line):\(column)" }
}

/// A text with the name people know it by (a path as it was given, or `<stdin>`).
package struct SourceText: Sendable {
  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// The place of a byte offset; one past the end is the place after the last scalar.
  package func place(at offset: Int) -> Place { fatalError("unimplemented") }

  /// The text of a line (from 1) without its line end; nil past the end.
  package func line(_ number: Int) -> String? { fatalError("unimplemented") }
}
