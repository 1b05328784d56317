// `decode.dates`, `decode.types` and `decode.nulls`: reads members as what they mean, and writes them as that.

import JSONText
import Primitives

/// Reads one member as what it means; null stays null.
struct MemberReader: Sendable {
  private var reading: Shape.Reading?
  /// Holds for a value that is written as null.
  private var isNull: Condition.Clause?

  /// Returns the members that are read, each with its reader.
  static func all(
    _ members: [(path: JSONPath, reading: Shape.Reading)], nulls: [(path: JSONPath, values: [JSONValue])]
  ) -> [(path: JSONPath, reader: MemberReader)] {
    var readers = members.map { (path: $0.path, reader: MemberReader(reading: $0.reading)) }
    for (path, values) in nulls {
      let isNull = Condition.Clause(path: path, tests: [.among(values)])
      if let index = readers.firstIndex(where: { $0.path == path }) {
        readers[index].reader.isNull = isNull
      } else {
        readers.append((path, MemberReader(isNull: isNull)))
      }
    }
    return readers
  }

  /// Returns what stands in place of a member's value; nil if the value stays as it is.
  ///
  /// - Throws: `ModelError` for a value that can't be read so.
  func written(_ member: TokenIndexedMember, of record: TokenedRecord) throws(ModelError) -> [UInt8]? {
    let (text, value) = (record.text, member.value)
    if text[value.lowerBound] == UInt8(ascii: "n") { return nil }
    if let isNull, isNull.holds(JSONValue(validated: text[value])) { return Array("null".utf8) }
    guard let reading else { return nil }
    guard let written = reading.written(value, in: text) else {
      throw ModelError(
        keyPath: record.step(to: member), expected: reading.expected, found: quotation(of: text, value))
    }
    return written.bytes
  }
}

extension Shape.Reading {
  /// What stands in place of a value.
  fileprivate enum Written {
    case unchanged
    case new([UInt8])

    static let null = Written.new(Array("null".utf8))

    var bytes: [UInt8]? { if case .new(let bytes) = self { bytes } else { nil } }
  }

  /// Returns what a value other than null is written as; nil if it can't be read so.
  fileprivate func written(_ value: Range<Int>, in text: [UInt8]) -> Written? {
    // A table has an empty text where there is no value.
    if self != .type(.string), value.count == 2, text[value.lowerBound] == JSONByte.quote { return .null }
    switch self {
    case .date(let form):
      return form.instant(value, in: text).map { .new([JSONByte.quote] + $0.rfc3339Bytes + [JSONByte.quote]) }
    case .type(.string):
      if text[value.lowerBound] == JSONByte.quote { return .unchanged }
      return .new(String(decoding: text[value], as: UTF8.self).quotedJSON)
    case .type(let type):
      guard let content = text.content(ofStringAt: value) else {
        return type.accepts(value, in: text) ? .unchanged : nil
      }
      return type.converted(content).map { .new($0) }
    }
  }

  fileprivate var expected: String {
    switch self {
    case .date(let form): form.expectation(of: "dates")
    case .type(.number): "number, as 'types' says"
    case .type(.integer): "whole number, as 'types' says"
    case .type(.boolean): "true or false, as 'types' says"
    case .type(.string): "string, as 'types' says"
    }
  }
}

extension Shape.ValueType {
  fileprivate func accepts(_ value: Range<Int>, in text: [UInt8]) -> Bool {
    let leaf: ModelTable.Leaf =
      switch self {
      case .number: .number
      case .integer: .integer
      case .boolean: .boolean
      case .string: .string
      }
    return leaf.accepts(value, in: text)
  }

  /// Returns the JSON value that a text spells; nil if it is none of this type.
  ///
  /// A number must be one of JSON (RFC 8259 §6), and keeps its digits: `007` may be a code, `1,5` two numbers.
  fileprivate func converted(_ content: ArraySlice<UInt8>) -> [UInt8]? {
    if self == .boolean {
      let word = content.map { $0 | 0x20 }
      return ["true", "false"].map { Array($0.utf8) }.first { $0 == word }
    }
    guard content.isJSONNumber else { return nil }
    let text = Array(content)
    return accepts(text.indices, in: text) ? text : nil
  }
}

extension TimeForm {
  /// Reads a time; numbers may also be in strings, and a pattern may match a number, such as `%Y%m%d`.
  fileprivate func instant(_ value: Range<Int>, in text: [UInt8]) -> Timestamp? {
    let content = text.content(ofStringAt: value)
    if content == nil, self == .rfc3339 || self == .date { return nil }
    return timestamp(of: content ?? text[value])
  }

  /// Returns what a value of this form is, and the key that says so.
  func expectation(of key: String) -> String {
    let form =
      switch self {
      case .seconds: "seconds since 1970"
      case .milliseconds: "milliseconds since 1970"
      case .rfc3339: "RFC 3339 date and time"
      case .date: "date such as 2024-01-31"
      case .pattern(let pattern): "time of the form '\(pattern.spelling)'"
      }
    return "\(form) (years 0001 to 9999), as '\(key)' says"
  }
}

extension [UInt8] {
  /// Returns the decoded content of a string, or nil for another kind or a string with lone surrogates.
  func content(ofStringAt value: Range<Int>) -> ArraySlice<UInt8>? {
    guard value.count >= 2, self[value.lowerBound] == JSONByte.quote else { return nil }
    let raw = self[value.lowerBound + 1..<value.upperBound - 1]
    guard raw.contains(JSONByte.backslash) else { return raw }
    return JSONValue(validated: self[value]).string.map { Array($0.utf8)[...] }
  }
}
