import Diagnostics
package import Engine
import JSONText
import PipelineSpec
import Primitives
import Unwrapping
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One stream of a tap: a spec, whose last step gives the records.
struct SingerStream: Sendable {
  /// The jobs of the stream, after those of the streams that it reads.
  let spec: Spec
  /// The stream's own jobs, the first of which reads the records of `source`; as it is written, and for others that
  /// read it.
  let own, asInput: Spec
  /// Name of the stream that it reads; nil if it reads none.
  let source: String?
  /// Names of the streams that it reads, and that these read.
  let sources: Set<String>
  /// Name of the last step, or of the spec.
  let name: String
  /// Types of the members, if the spec gives them.
  let model: JSONValue?
  let uniqueMembers: [String]
  /// Holds for a record that no longer exists; nil if such records are given as they are.
  let deleted: Condition?
  private let mark: String?
  /// False if a run can't be resumed in the middle.
  ///
  /// Standard input differs the next time, and only a journal can hold the paths of all downloads.
  var isResumable: Bool {
    let readsInput = spec.jobs.first?.readsInput ?? false
    return !readsInput && spec.jobs.allSatisfy { $0.download == nil }
  }

  /// Name of the member by which a target knows that a record no longer exists.
  static let deletionTime = "_sdc_deleted_at"

  /// - Parameter stream: the stream of a spec that has several.
  init(_ spec: Spec, _ stream: Spec.Stream? = nil, marksDeletions: Bool) {
    own = stream.map { spec.only($0) } ?? spec
    asInput = stream.map { spec.only($0.asInput) } ?? spec
    source = stream?.source
    sources = Set(stream.map { spec.line(of: $0).dropLast().map(\.name) } ?? [])
    let spec = stream.map { spec.alone($0) } ?? spec
    self.spec = spec
    let last = spec.jobs[spec.jobs.count - 1]
    name = stream?.name ?? RecordSchema.name(of: last)
    model = (try? RecordSchema([spec])).flatMap { try? JSONValue(parsing: Array($0.text(as: .jsonSchema).utf8)) }
    uniqueMembers = last.keyMembers
    deleted = marksDeletions ? last.deleted : nil
    // With `attach`, the mark is of the fetched records, which are parts of the stream's records.
    if case .member(let path)? = last.incremental?.mark, path.steps.count == 1, last.attach == nil,
      !last.drop.contains(path), !last.flatten.contains(path), last.keep.isEmpty || last.keep.contains(path),
      !last.rename.contains(where: { $0.path == path })
    {
      let own = path.steps[0].name
      let name = last.decode.keys.map { Shape.Keys($0).styled(own) } ?? own
      // A 'model' leaves out what it does not name.
      mark = model.map { $0["properties"]?[name] == nil } == true ? nil : name
    } else {
      mark = nil
    }
  }

  /// True if the marks of a run say from where the next run resumes the stream.
  var hasMark: Bool { spec.jobs.contains(where: \.hasOwnMark) }

  /// Returns the members that a catalog deselects, without those that a target needs.
  func leftOut(by catalog: SingerCatalog?) -> Set<String> {
    (catalog?.leftOut(of: name) ?? []).subtracting(uniqueMembers + [mark, Self.deletionTime].compactMap { $0 })
  }

  /// Returns the SCHEMA message.
  func message(_ schema: JSONValue, without leftOut: Set<String>) -> JSONValue {
    var members: [(name: String, value: JSONValue)] = [
      ("type", JSONValue("SCHEMA")), ("stream", JSONValue(name)), ("schema", complete(schema).leavingOut(leftOut)),
      ("key_properties", JSONValue(elements: uniqueMembers.map { JSONValue($0) })),
    ]
    if let mark { members.append(("bookmark_properties", JSONValue(elements: [JSONValue(mark)]))) }
    return JSONValue(members: members)
  }

  /// Returns the schema with the member that deletions have.
  private func complete(_ schema: JSONValue) -> JSONValue {
    guard deleted != nil, let properties = schema["properties"], properties[Self.deletionTime] == nil else {
      return schema
    }
    let time = JSONValue(members: [
      ("type", JSONValue(elements: [JSONValue("null"), JSONValue("string")])), ("format", JSONValue("date-time")),
    ])
    return JSONValue(
      members: schema.members.map { member in
        guard member.name == "properties" else { return (member.name, member.value) }
        return (
          member.name,
          JSONValue(members: properties.members.map { ($0.name, $0.value) } + [(Self.deletionTime, time)])
        )
      })
  }

  /// Returns the stream's entry in a catalog.
  func entry(_ schema: JSONValue) -> JSONValue {
    let schema = complete(schema)
    var entries: [(name: String, value: JSONValue)] = [
      ("inclusion", JSONValue("available")), ("selected", JSONValue(true)),
      ("table-key-properties", JSONValue(elements: uniqueMembers.map { JSONValue($0) })),
    ]
    if let mark {
      entries += [
        ("replication-method", JSONValue("INCREMENTAL")), ("replication-key", JSONValue(mark)),
        ("valid-replication-keys", JSONValue(elements: [JSONValue(mark)])),
      ]
    }
    let needed = Set(uniqueMembers + [mark, Self.deletionTime].compactMap { $0 })
    let members = (schema["properties"] ?? .null).members.map(\.name)
    let metadata =
      [Self.metadata([], entries)]
      + members.map { name in
        Self.metadata(
          ["properties", name], [("inclusion", JSONValue(needed.contains(name) ? "automatic" : "available"))])
      }
    return JSONValue(members: [
      ("tap_stream_id", JSONValue(name)), ("stream", JSONValue(name)), ("schema", schema),
      ("key_properties", JSONValue(elements: uniqueMembers.map { JSONValue($0) })),
      ("metadata", JSONValue(elements: metadata)),
    ])
  }

  private static func metadata(_ path: [String], _ entries: [(name: String, value: JSONValue)]) -> JSONValue {
    JSONValue(members: [
      ("breadcrumb", JSONValue(elements: path.map { JSONValue($0) })), ("metadata", JSONValue(members: entries)),
    ])
  }
}

extension JSONValue {
  /// Returns a schema without some of its properties.
  fileprivate func leavingOut(_ names: Set<String>) -> JSONValue {
    guard !names.isEmpty else { return self }
    return JSONValue(
      members: members.map { member in
        switch member.name {
        case "properties":
          let kept = member.value.members.filter { !names.contains($0.name) }
          return (member.name, JSONValue(members: kept.map { ($0.name, $0.value) }))
        case "required":
          let kept = member.value.elements.filter { !names.contains($0.string ?? "") }
          return (member.name, JSONValue(elements: Array(kept)))
        default: return (member.name, member.value)
        }
      })
  }
}

/// A Singer catalog: the selected streams of a tap, and their selected members.
package struct SingerCatalog: Sendable {
  private let streams: [JSONValue]

  /// Reads a catalog.
  ///
  /// - Throws: `SpecError` if the text is no catalog.
  package init(_ bytes: [UInt8], name: String) throws(SpecError) {
    guard let json = try? JSONValue(parsing: bytes), let streams = json["streams"], streams.kind == .array else {
      throw SpecError(messages: [
        "'\(name.printable)' is not a catalog: it has no list 'streams'; '--discover' writes one"
      ]
      )
    }
    self.streams = Array(streams.elements)
  }

  private func entry(_ stream: String) -> JSONValue? {
    streams.first { ($0["tap_stream_id"] ?? $0["stream"])?.string == stream }
  }

  /// Names of the streams that are selected.
  var selected: [String] { streams.compactMap { ($0["tap_stream_id"] ?? $0["stream"])?.string }.filter(selects) }

  /// Reports that the stream is in the catalog, and not deselected by `selected: false`.
  func selects(_ stream: String) -> Bool {
    guard let entry = entry(stream) else { return false }
    let root = metadata(of: entry).first { $0["breadcrumb"]?.elements.first { _ in true } == nil }?["metadata"]
    return (root?["selected"] ?? entry["schema"]?["selected"])?.boolean ?? true
  }

  /// Returns the members that are not selected, except for `automatic` members.
  func leftOut(of stream: String) -> Set<String> {
    guard let entry = entry(stream) else { return [] }
    var names: Set<String> = []
    for item in metadata(of: entry) {
      let path = (item["breadcrumb"] ?? .null).elements.compactMap(\.string)
      guard path.count == 2, path[0] == "properties", let own = item["metadata"] else { continue }
      if own["selected"]?.boolean == false, own["inclusion"]?.string != "automatic" { names.insert(path[1]) }
    }
    return names
  }

  private func metadata(of entry: JSONValue) -> [JSONValue] { Array((entry["metadata"] ?? .null).elements) }
}

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
