// A valid JSON text, looked at without building a tree: kinds, members, elements, strings and numbers on demand.

/// One JSON value that has been validated and compacted, as its own bytes.
///
/// Looking inside never copies: the values that come out share the storage. Of duplicate members the last one counts.
package struct JSONValue: Hashable, Sendable {
  /// The compact text.
  package let bytes: ArraySlice<UInt8>

  /// - Parameter bytes: a valid compact JSON text, as `EnvelopeScanner`, `LineScanner`, or another value gave it.
  package init(validated bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// Validates and compacts a text of unknown origin.
  package init(parsing text: [UInt8], depthLimit: Int = 1_024) throws(JSONFault) {
    fatalError("unimplemented")
  }

  package init(_ string: String) { fatalError("unimplemented") }
  package init(_ integer: Int) { fatalError("unimplemented") }
  package init(_ boolean: Bool) { fatalError("unimplemented") }
  package static var null: JSONValue { fatalError("unimplemented") }
  /// An object of these members, in this order.
  package init(members: [(name: String, value: JSONValue)]) { fatalError("unimplemented") }
  /// An array of these elements.
  package init(elements: [JSONValue]) { fatalError("unimplemented") }

  package var kind: JSONKind { fatalError("unimplemented") }
  package var isNull: Bool { kind == .null }

  /// The text as a Swift string (for messages, templates and headers).
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The decoded string; nil for another kind, or for a string with a lone surrogate escape.
  package var string: String? { fatalError("unimplemented") }
  package var boolean: Bool? { fatalError("unimplemented") }
  /// The value of a number that is whole and fits; nil otherwise. `1.0` and `1e3` are whole.
  package var integer: Int? { fatalError("unimplemented") }
  /// Whether it is a number whose value is whole, of any size.
  package var isWholeNumber: Bool { fatalError("unimplemented") }

  /// Members in order, duplicates too; none for another kind.
  package var members: Members { fatalError("unimplemented") }
  /// Elements in order; none for another kind.
  package var elements: Elements { fatalError("unimplemented") }

  /// The member of that name (the last of duplicates), or nil.
  package subscript(name: String) -> JSONValue? { fatalError("unimplemented") }
  /// The value at the end of the path, or nil where a step is missing.
  package subscript(path: JSONPath) -> JSONValue? { fatalError("unimplemented") }

  /// This object with a member set: the first of that name replaced in place and further ones removed, or the member
  /// added after the last. Nil when this is no object.
  package func setting(_ name: String, to value: JSONValue) -> JSONValue? { fatalError("unimplemented") }

  /// A key under which two values are the same exactly when a join says so: numbers by value at any length (`1`, `1.0`,
  /// `1e0`), strings by their decoded text, never across kinds. Nil for null; other kinds by their bytes.
  package var joinKey: JoinKey? { fatalError("unimplemented") }

  package struct JoinKey: Hashable, Sendable {
    package let bytes: [UInt8]
  }

  /// One member: its name's JSON text with quotes, as it stands, and its value.
  package struct Member: Sendable {
    package let quotedName: ArraySlice<UInt8>
    package let value: JSONValue
    /// The decoded name; lone surrogate escapes become U+FFFD.
    package var name: String { fatalError("unimplemented") }
  }

  package struct Members: Sequence, IteratorProtocol, Sendable {
    package mutating func next() -> Member? { fatalError("unimplemented") }
  }

  package struct Elements: Sequence, IteratorProtocol, Sendable {
    package mutating func next() -> JSONValue? { fatalError("unimplemented") }
  }
}

extension String {
  /// This text as a JSON string with quotes. Only what must be escaped is: `"`, `\`, and U+0000 to U+001F.
  package var quotedJSON: [UInt8] { fatalError("unimplemented") }
}
