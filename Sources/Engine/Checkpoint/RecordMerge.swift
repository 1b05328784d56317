// The end of a run with `--merge` or `--changes`: three streamed passes, over the new records, FILE, the new records.

import Diagnostics
import Files
import JSONText

/// Compares the records of a run with those of FILE, and writes the new FILE and the changes.
///
/// Only an index of the new records is in memory, 21 bytes for each.
final class RecordMerge {
  private let followed: FollowedFile
  private let outputPath: OutputPath
  private let calls: SystemCalls
  /// The new records.
  private let news: LineFile
  private let keys: RecordKeys
  private var index: RecordIndex
  /// FILE as it was when it was read; nil if there was none.
  private var old: FileMetadata?
  /// True if a record of FILE that did not come is gone.
  private let removesMissing: Bool
  /// The new FILE; nil without `--merge`.
  private var merged: MergedFile?
  private let changes: ChangesFile?
  private(set) var counts = RecordChanges()

  /// - Parameters:
  ///   - count: number of the new records.
  ///   - isWhole: true if the run saw every record that exists.
  init(
    _ followed: FollowedFile, _ outputPath: OutputPath, count: Int, isWhole: Bool, spool: @Sendable () -> Spool,
    _ calls: SystemCalls
  ) throws(FileError) {
    (self.followed, self.outputPath, self.calls) = (followed, outputPath, calls)
    guard let news = try LineFile(at: outputPath.part, calls: calls) else {
      throw .failed("cannot read '\(outputPath.part)': it is gone")
    }
    self.news = news
    keys = followed.keys
    index = RecordIndex(expected: count)
    removesMissing = !followed.isMerged && isWhole
    counts.knowsRemovals = followed.isMerged || isWhole
    merged = followed.isMerged ? try MergedFile(outputPath, calls: calls) : nil
    changes = try followed.changes.map { (target) throws(FileError) in try ChangesFile(target, calls, spool: spool()) }
  }

  /// Makes the new FILE and the changes, and puts the changes in their place.
  func run() throws(FileError) {
    try readNews()
    try readFile()
    try addNews()
    try merged?.flush()
    if followed.isMerged { try checkFile() }
    try changes?.finish()
  }

  /// Puts the new FILE in its place.
  func replaceFile(_ body: (inout MergedFile) throws(FileError) -> Void) throws(FileError) {
    guard var file = merged.take() else { return }
    try body(&file)
  }

  /// Checks that no other program has changed FILE since it was read: the change would be lost.
  func checkFile() throws(FileError) {
    guard try OutputPath.metadata(of: outputPath.path, calls: calls) != old else { return }
    throw .failed(
      "another program has changed '\(outputPath.path.printable)' while it was merged: the file stays as that program has "
        + "left it; run again with --resume")
  }

  /// Finds the slot of a record's key, and the newest line with that key.
  private func find(
    _ hash: UInt64, _ lines: [UInt8], _ range: Range<Int>
  ) throws(FileError) -> (slot: RecordIndex.Slot, newest: ArraySlice<UInt8>)? {
    var newest: ArraySlice<UInt8> = []
    var key: JoinedKey?
    let slot = try index.find(hash) { (offset) throws(FileError) in
      let line = lines[range].dropLast()
      newest = try news.line(at: offset)
      if newest == line { return true }
      key = key ?? keys.key(of: JSONValue(validated: line))
      return keys.key(of: JSONValue(validated: newest)) == key
    }
    return slot.map { ($0, newest) }
  }

  /// Puts the new records into the index; the last one of a key counts.
  private func readNews() throws(FileError) {
    var start = 0
    try news.readLines(keys) { (lines, keys) throws(FileError) in
      for (hash, range) in zip(keys.hashes, keys.lines) {
        if let found = try find(hash, lines, range) {
          index.setOffset(start + range.lowerBound, found.slot)
          if found.newest != lines[range].dropLast() { counts.replaced += 1 }
        } else {
          index.insert(hash, at: start + range.lowerBound)
        }
      }
      start += lines.count
    }
  }

  /// Reads FILE: each of its records stays, is replaced, or is gone.
  private func readFile() throws(FileError) {
    old = try OutputPath.metadata(of: outputPath.path, calls: calls)
    guard let file = try LineFile(at: outputPath.path, calls: calls) else { return }
    var count = 0
    try file.readLines(keys, knownAs: followed.known) { (lines, keys) throws(FileError) in
      try followed.check(lines, keys, outputPath, after: count)
      count += keys.lines.count
      var end = 0
      let all = keys.hashes.indices
      for number in removesMissing ? Array(all) : index.hits(among: keys.hashes) {
        let range = keys.lines[number]
        guard let (slot, newest) = try find(keys.hashes[number], lines, range) else {
          if removesMissing { try remove(lines[range].dropLast()) }
          continue
        }
        let old = lines[range].dropLast()
        let isFirst = !index.isDone(slot)
        index.finish(slot)
        let isDeleted = isFirst && isDeleted(newest)
        if isDeleted { try remove(old) } else if isFirst { try compare(old, newest) }
        if followed.isMerged, !isFirst || isDeleted || newest != old {
          try merged?.write(lines[end..<range.lowerBound])
          if isFirst, !isDeleted { try merged?.write(newest + [UInt8(ascii: "\n")]) }
          end = range.upperBound
        }
      }
      if followed.isMerged { try merged?.write(lines[end...]) }
    }
  }

  /// Adds the new records that FILE does not have, in the order of the first record of each key.
  private func addNews() throws(FileError) {
    try news.readLines(keys) { (lines, keys) throws(FileError) in
      var added: [UInt8] = []
      for (hash, range) in zip(keys.hashes, keys.lines) {
        guard let (slot, newest) = try find(hash, lines, range), !index.isDone(slot) else { continue }
        index.finish(slot)
        if isDeleted(newest) { continue }
        counts.added += 1
        try changes?.add("added", newest)
        added += newest + [UInt8(ascii: "\n")]
      }
      if followed.isMerged, !added.isEmpty { try merged?.write(added[...]) }
    }
  }

  private func isDeleted(_ line: ArraySlice<UInt8>) -> Bool {
    followed.deleted?.holds(for: JSONValue(validated: line)) ?? false
  }

  private func remove(_ old: ArraySlice<UInt8>) throws(FileError) {
    counts.removed += 1
    try changes?.add("removed", old)
  }

  private func compare(_ old: ArraySlice<UInt8>, _ new: ArraySlice<UInt8>) throws(FileError) {
    guard !JSONValue(validated: new).isSame(as: JSONValue(validated: old)) else { return }
    counts.changed += 1
    try changes?.add("changed", new, before: old)
  }
}
