// `--merge` and `--changes`: FILE and the records of a run, by the members that identify a record.

import Diagnostics
import Files
import JSONText
import PipelineSpec
import Wire

/// What a run changed in FILE.
public struct RecordChanges: Sendable, Hashable {
  /// Records whose key FILE did not have.
  public internal(set) var added = 0
  /// Records that FILE had with another value.
  public internal(set) var changed = 0
  /// Records of FILE that are gone.
  public internal(set) var removed = 0
  /// False if records of FILE that did not come may still exist, so that none of them counts as removed.
  public internal(set) var knowsRemovals = true
  /// Records with a key that a later record of the run has with other bytes: only the last one of each key counts.
  var replaced = 0

  /// `3 added, 2 changed, 1 removed`.
  var text: String {
    "\(added) added, \(changed) changed, " + (knowsRemovals ? "\(removed) removed" : "removals not known")
  }
}

extension RecordChanges {
  /// The counts, for the summary.
  var json: JSONValue {
    JSONValue(members: [
      ("added", JSONValue(added)), ("changed", JSONValue(changed)), ("removed", JSONValue(removed)),
      ("knowsRemovals", JSONValue(knowsRemovals)),
    ])
  }
}

/// The rules by which a run's records are compared with those of FILE.
struct FollowedFile: Sendable {
  /// The option that asks for the comparison, for messages.
  let option: String
  /// Paths of the values that together identify a record.
  let paths: [JSONPath]
  /// Holds for a record that is to be removed from FILE; nil without `--merge`.
  let deleted: Condition?
  /// True if FILE keeps the records that did not come.
  let isMerged: Bool
  /// The consumer of the changes, if any.
  let changes: Destination.Changes?
  /// FILE as `check` has read it; nil before that, and for a FILE whose lines are not compact.
  var known: CompactFile?

  /// Nil for a run without `--merge` and `--changes`.
  ///
  /// - Throws: `SpecError` if the records of the last job have no key.
  init?(_ destination: Destination, _ last: Job?) throws(SpecError) {
    guard destination.path != nil, destination.isMerged || destination.changes != nil, let last else { return nil }
    option = destination.isMerged ? "--merge" : "--changes"
    guard destination.format == nil else {
      throw SpecError(messages: [
        "\(option) compares the lines of FILE, and '\(destination.path?.printable ?? "")' has them compressed: give a FILE "
          + "without '.gz'"
      ])
    }
    isMerged = destination.isMerged
    changes = destination.changes
    deleted = isMerged ? last.deleted : nil
    paths = last.outputKey
    guard paths.isEmpty else { return }
    let name = last.name.printable
    throw SpecError(messages: [
      last.uniqueMembers.isEmpty && last.attach == nil
        ? "\(option) needs the members that identify a record: write 'unique: id', or the members' own names, in '\(name)'"
        : "\(option) needs the members that identify a record, and in '\(name)', 'unique' would be about the records that it "
          + "fetches for each: add a step that is only 'unique: id', or the members' own names"
    ])
  }

  var keys: RecordKeys { RecordKeys(paths, comparesValues: true) }

  /// Checks that each line of FILE has a key, before anything is requested.
  mutating func check(_ outputPath: OutputPath, _ calls: SystemCalls) throws(FileError) {
    guard let file = try LineFile(at: outputPath.path, calls: calls) else { return }
    var count = 0
    known = try file.readLines(keys) { [self] (lines, keys) throws(FileError) in
      try check(lines, keys, outputPath, after: count)
      count += keys.lines.count
    }
  }

  /// Checks that each of some lines of FILE has a key.
  ///
  /// - Parameter before: number of lines before these.
  func check(
    _ lines: [UInt8], _ keys: RecordKeys, _ outputPath: OutputPath, after before: Int
  ) throws(FileError) {
    guard let index = keys.hashes.firstIndex(of: 0) else { return }
    let flaw = describe(lines[keys.lines[index]])
    throw .failed(
      "record \(before + index + 1) of '\(outputPath.path.printable)' has \(flaw), which 'unique' names, so that \(option) "
        + "can't compare it: give the FILE of this spec, or another name")
  }

  /// Returns the error of the first record that has no key; nil if all of them have one.
  ///
  /// - Parameter before: number of the run's records before these.
  func fault(in lines: [UInt8], after before: Int, of job: String, hiding secrets: SecretStore) -> NetworkingError? {
    var keys = keys
    keys.read(lines)
    guard let index = keys.hashes.firstIndex(of: 0) else { return nil }
    let record = JSONValue(validated: lines[keys.lines[index]].dropLast())
    let flaw = keys.flaw(of: record)
    let found = flaw?.value.map { [.null].contains($0.kind) ? "null" : "a value that is not a key" } ?? "nothing"
    let text = secrets.redacting(String(record.text.prefix(Self.shown))).printable
    return .decodingError(
      source: job, page: nil, record: before + index + 1, keyPath: flaw?.path.description ?? "",
      expected: "a text, a number, true or false, since 'unique' names it and \(option) compares by it",
      found: "\(found) in \(text)")
  }

  private static let shown = 512

  private func describe(_ line: ArraySlice<UInt8>) -> String {
    let flaw = keys.flaw(of: JSONValue(validated: line.dropLast()))
    let name = flaw?.path.description.printable ?? ""
    switch flaw?.value?.kind {
    case nil: return "no '\(name)'"
    case .null: return "null in '\(name)'"
    case .array: return "a list in '\(name)'"
    default: return "an object in '\(name)'"
    }
  }
}

extension Job {
  /// Paths of the values that together identify an output record; empty if none are known.
  var outputKey: [JSONPath] { attach == nil && count == nil ? uniqueMembers : [] }
}

/// The lines of `--changes`, until they are complete.
final class ChangesFile {
  private var file: AtomicFile?
  private let spool: Spool
  private let descriptor: Int32
  private var block: [UInt8] = []

  init(_ target: Destination.Changes, _ calls: SystemCalls, spool: Spool) throws(FileError) {
    self.spool = spool
    switch target {
    case .file(let path):
      descriptor = -1
      file = try FileError.of("--changes") { () throws(FileError) in
        try AtomicFile(OutputPath(path, calls: calls), calls: calls)
      }
    case .output(let number):
      descriptor = number
      file = nil
    }
  }

  /// Adds a line about a record.
  func add(_ change: StaticString, _ record: ArraySlice<UInt8>, before: ArraySlice<UInt8>? = nil)
    throws(FileError)
  {
    block += Array("{\"change\":\"\(change)\",\"record\":".utf8)
    block += record
    if let before {
      block += Array(",\"before\":".utf8)
      block += before
    }
    block += Array("}\n".utf8)
    if block.count >= 64 << 10 { try flush() }
  }

  private func flush() throws(FileError) {
    defer { block.removeAll(keepingCapacity: true) }
    if file != nil { try file?.write(block) } else { try spool.append(block) }
  }

  /// Puts the file in its place, or writes the lines to standard output.
  func finish() throws(FileError) {
    try flush()
    guard file == nil else {
      try file?.finish()
      return
    }
    var writer = LineWriter(descriptor: descriptor, name: "standard output")
    while let lines = try spool.next() { try writer.write(lines) }
    try writer.flush()
  }
}
