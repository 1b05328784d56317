package import Files
import Primitives
import Synchronization
import Wire

/// The file by which several processes share the limits of origins: `--pace`.
///
/// Another process may hold the file's lock, or the disk may fail. Then this process keeps the limits by itself, warns
/// once, and tries again with each request.
package final class PaceFile: Sendable {
  /// An origin's record in the file.
  private struct Slot {
    let key: PaceRecord.Key
    /// Number of the record, which another process may have given to another origin meanwhile.
    var index: Int?
  }

  private struct State {
    var slots: [String: Slot] = [:]
    /// True if the last access to the file failed, so that no request waits for its lock again.
    var isLost = false
    var hasWarned = false
  }

  /// First bytes of a file, by which a reader can tell the kind of file.
  static let header = padded(
    "pagecat pace 1\nTimes of the next requests, which runs share. Delete it only when none of them runs.\n")
  /// Number of origins; the record that was not used for the longest time makes room for another one.
  static let most = 1_024
  /// Tries at the lock, which is held for some microseconds: about a second.
  private static let tries = 1_000

  private let path: String
  private let file: RecordFile
  private let boot: [UInt8]
  private let tries: Int
  private let warn: @Sendable (String) -> Void
  private let state = Locked(State())

  /// Opens or creates the file.
  ///
  /// - Parameters:
  ///   - boot: identity of the machine's last start; nil for the machine's own.
  ///   - warn: receives a warning if the file can't be used later.
  /// - Throws: `FileError` if another kind of file is there, or if it can't be written.
  package init(
    path: String, boot: [UInt8]? = nil, tries: Int? = nil, calls: SystemCalls = .system,
    warn: @escaping @Sendable (String) -> Void
  ) throws(FileError) {
    self.path = path
    self.boot = if let boot { boot } else { try BootClock.identity(calls: calls) }
    self.tries = tries ?? Self.tries
    self.warn = warn
    file = try RecordFile(at: path, header: Self.header, tries: self.tries, calls: calls)
  }

  /// Reads an origin's limit, which all processes share.
  ///
  /// It takes no lock if the record is still at its index.
  func read(_ limit: inout OriginLimit, of origin: String, now: Duration) {
    let slot = state.withLock { self.slot(of: origin, &$0) }
    if let index = slot.index, let bytes = try? file.read(index),
      let record = PaceRecord(bytes, key: slot.key, interval: limit.interval, now: now)
    {
      limit = record.limit
    } else {
      // There is no record yet, or it can't be read at this moment.
      change(&limit, of: origin, now: now) { _ in }
    }
  }

  /// Changes an origin's limit for all processes.
  func change<Result: Sendable>(
    _ limit: inout OriginLimit, of origin: String, now: Duration, _ change: (inout OriginLimit) -> Result
  ) -> Result {
    state.withLock { (state) -> Result in
      guard lock(&state) else { return change(&limit) }
      defer { file.unlock() }
      let known = load(&limit, of: origin, now: now, &state)
      let result = change(&limit)
      if limit != known { save(limit, of: origin, &state) }
      return result
    }
  }

  private func lock(_ state: inout State) -> Bool {
    do {
      if try file.lock(tries: state.isLost ? 1 : tries) {
        state.isLost = false
        return true
      }
      lose("cannot lock '\(path)': another process does not release it", &state)
    } catch {
      lose(error.reason, &state)
    }
    return false
  }

  /// Reads the record of an origin into the limit, and returns the file's content; nil if there is no such record.
  private func load(
    _ limit: inout OriginLimit, of origin: String, now: Duration, _ state: inout State
  ) -> OriginLimit? {
    var slot = self.slot(of: origin, &state)
    do throws(FileError) {
      if let index = slot.index, try !PaceRecord.starts(file.read(index)[...], with: slot.key) { slot.index = nil }
      let index = if let known = slot.index { known } else { try self.index(for: slot.key) }
      slot.index = index
      state.slots[origin] = slot
      guard
        let record = PaceRecord(try file.read(index), key: slot.key, interval: limit.interval, now: now)
      else { return nil }
      limit = record.limit
      return limit
    } catch {
      lose(error.reason, &state)
      return limit
    }
  }

  private func save(_ limit: OriginLimit, of origin: String, _ state: inout State) {
    let slot = self.slot(of: origin, &state)
    guard let index = slot.index else { return }
    do {
      try file.write(PaceRecord.bytes(of: limit, key: slot.key), at: index)
    } catch {
      lose(error.reason, &state)
    }
  }

  private func slot(of origin: String, _ state: inout State) -> Slot {
    if let slot = state.slots[origin] { return slot }
    let slot = Slot(key: PaceRecord.Key(origin: origin, boot: boot))
    state.slots[origin] = slot
    return slot
  }

  /// Returns the number of an origin's record, or of one that it may have.
  private func index(for key: PaceRecord.Key) throws(FileError) -> Int {
    let bytes = try file.read(0, count: Self.most)
    if bytes.isEmpty { try file.writeHeader() }
    var (free, oldest, lastUse): (Int?, Int, Int) = (nil, 0, .max)
    for index in 0..<bytes.count / PaceRecord.size {
      let record = bytes[index * PaceRecord.size..<(index + 1) * PaceRecord.size]
      guard PaceRecord.isCurrent(record, boot: key.boot) else {
        free = free ?? index
        continue
      }
      if PaceRecord.starts(record, with: key) { return index }
      if case let use = PaceRecord.lastUse(record), use < lastUse { (oldest, lastUse) = (index, use) }
    }
    let count = bytes.count / PaceRecord.size
    return free ?? (count < Self.most ? count : oldest)
  }

  private func lose(_ reason: String, _ state: inout State) {
    state.isLost = true
    guard !state.hasWarned else { return }
    state.hasWarned = true
    warn("--pace: \(reason); meanwhile this run keeps its rate by itself")
  }

  private static func padded(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return bytes + [UInt8](repeating: UInt8(ascii: " "), count: PaceRecord.size - bytes.count)
  }
}

extension FileError {
  fileprivate var reason: String {
    switch self {
    case .failed(let reason): reason
    case .readerGone, .busy: "the file can't be used"
    }
  }
}
