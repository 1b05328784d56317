// `decode.dates`: reads members of the record itself in their form, and writes them as RFC 3339 in UTC.

import JSONText
import Primitives

/// Rewrites the date members of records, and nothing else in them.
struct DateRewriter: Sendable {
  private let names: NameTable
  private let forms: [TimeForm]

  init(_ dates: [(name: String, form: TimeForm)]) {
    names = NameTable(dates.map(\.name))
    forms = dates.map(\.form)
  }

  /// Appends the record with its dates rewritten, and returns the offset after it.
  ///
  /// A record that is no object, and members that are null, stay unchanged.
  func append(_ record: TokenedRecord, to output: inout RewrittenRecord) throws(ModelError) -> Int {
    let text = record.text
    guard text[record.start] == JSONByte.openObject else {
      let end = text.endOfValue(at: record.start)
      output.add(record.start..<end, 0..<0, of: record)
      return end
    }
    var copied = (place: record.start, number: record.opening)
    var dates: [(member: TokenIndexedMember, form: TimeForm)] = []
    let closing = names.forEachMember(openedBy: record.opening, of: record) { member, number, _ in
      if text[member.value.lowerBound] != UInt8(ascii: "n") { dates.append((member, forms[number])) }
    }
    for (member, form) in dates {
      output.add(copied.place..<member.value.lowerBound, copied.number..<member.token, of: record)
      output.add(try form.rewritten(member.value, named: member.name, in: text))
      copied = (member.value.upperBound, member.end)
    }
    let end = record.place(closing) + 1
    output.add(copied.place..<end, copied.number..<closing + 1, of: record)
    return end
  }
}

extension TimeForm {
  fileprivate func rewritten(_ value: Range<Int>, named name: Range<Int>, in text: [UInt8]) throws(ModelError)
    -> [UInt8]
  {
    guard let written = instant(value, in: text)?.rfc3339Bytes else {
      let keyPath = KeyPathText.member(JSONValue(validated: text[name]).string ?? "")
      throw ModelError(keyPath: keyPath, expected: expected, found: quotation(of: text, value))
    }
    return [JSONByte.quote] + written + [JSONByte.quote]
  }

  /// Reads a time; numbers may also be in strings, and a pattern may match a number, such as `%Y%m%d`.
  private func instant(_ value: Range<Int>, in text: [UInt8]) -> Timestamp? {
    let content = text.content(ofStringAt: value)
    if content == nil, self == .rfc3339 || self == .date { return nil }
    return timestamp(of: content ?? text[value])
  }

  private var expected: String {
    switch self {
    case .seconds: "seconds since 1970 (years 0001 to 9999), as 'dates' says"
    case .milliseconds: "milliseconds since 1970 (years 0001 to 9999), as 'dates' says"
    case .rfc3339: "RFC 3339 date and time (years 0001 to 9999), as 'dates' says"
    case .date: "date such as 2024-01-31 (years 0001 to 9999), as 'dates' says"
    case .pattern(let pattern): "time of the form '\(pattern.spelling)' (years 0001 to 9999), as 'dates' says"
    }
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
