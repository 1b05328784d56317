import Engine
import Diagnostics
import JSONText
import Primitives
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The messages of one stream, as bytes.
struct SingerWriter {
  private let stream: SingerStream
  private let leftOut: Set<String>
  private var types = MemberTypes()
  private var isDescribed = false
  private var recordCount = 0

  init(_ stream: SingerStream, leavingOut leftOut: Set<String>) {
    self.stream = stream
    self.leftOut = leftOut
  }

  /// Returns the records of a batch, after a schema if they need a new one.
  ///
  /// - Throws: `decodingError` if a record lacks a member that `unique` names: a target could not identify the record.
  mutating func messages(of batch: Batch) throws(NetworkingError) -> [UInt8] {
    let name = JSONValue(stream.name).text
    let start = Array("{\"type\":\"RECORD\",\"stream\":\(name),\"record\":".utf8)
    let time = Timestamp(clamping: Date().timeIntervalSince1970.rounded(.down)).rfc3339
    let end = Array(",\"time_extracted\":\"\(time)\"}\n".utf8)
    var lines = describe(batch)
    for record in batch.records {
      recordCount += 1
      let record = record.asObject
      try checkKey(of: record)
      lines += start + marked(kept(of: record), by: record, at: time).bytes + end
    }
    return lines
  }

  /// The record with the time of its deletion, or with null, so that a record that is there again is not deleted.
  private func marked(_ kept: JSONValue, by record: JSONValue, at time: String) -> JSONValue {
    guard let deleted = stream.deleted, record[SingerStream.deletionTime] == nil else { return kept }
    let value = deleted.holds(for: record) ? JSONValue(time) : .null
    return JSONValue(members: kept.members.map { ($0.name, $0.value) } + [(SingerStream.deletionTime, value)])
  }

  private func checkKey(of record: JSONValue) throws(NetworkingError) {
    for name in stream.uniqueMembers where record[name]?.isNull ?? true {
      throw .decodingError(
        source: "stream '\(stream.name.printable)'", page: nil, record: recordCount, keyPath: name,
        expected: "a value, since 'unique' names it", found: record[name] == nil ? "nothing" : "null")
    }
  }

  /// Returns the schema of a stream without records, if the spec gives it.
  ///
  /// A schema without types would make targets keep wrong types.
  mutating func end() -> [UInt8] { isDescribed ? [] : stream.model.map { schema($0.forSinger) } ?? [] }

  private mutating func describe(_ batch: Batch) -> [UInt8] {
    if let model = stream.model { return isDescribed ? [] : schema(model.forSinger) }
    if batch.lines.isEmpty { return [] }
    var isNews = !isDescribed
    for record in batch.records where types.add(record.asObject) { isNews = true }
    return isNews ? schema(types.recordSchema) : []
  }

  private mutating func schema(_ schema: JSONValue) -> [UInt8] {
    isDescribed = true
    return stream.message(schema, without: leftOut).line
  }

  /// The record without the members that are not selected; each value keeps its bytes.
  private func kept(of record: JSONValue) -> JSONValue {
    guard !leftOut.isEmpty else { return record }
    return JSONValue(members: record.members.filter { !leftOut.contains($0.name) }.map { ($0.name, $0.value) })
  }
}

extension JSONValue {
  /// The value, or an object with it: a Singer record is an object.
  var asObject: JSONValue { kind == .object ? self : JSONValue(members: [("value", self)]) }

  /// A schema of `model` without features that targets don't know.
  ///
  /// A `date` gets no `format`, since it may have no time.
  var forSinger: JSONValue {
    JSONValue(
      // JSON Schema draft-04 knows no empty `required`.
      members: members.filter { member in
        !["$schema", "anyOf"].contains(member.name)
          && !(member.name == "required" && member.value.elements.allSatisfy { _ in false })
      }.map { member in
        switch member.name {
        case "properties":
          (member.name, JSONValue(members: member.value.members.map { ($0.name, $0.value.forSinger) }))
        case "items": (member.name, member.value.forSinger)
        default: (member.name, member.value)
        }
      })
  }
}
