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

// MARK: The bytes of a pace file's record: thirteen words of eight bytes, the last of which is a checksum

/// The state of an origin's limit that several processes share, as a record of a `PaceFile`.
///
/// Its times are those of `BootClock`. The origin is not in the record, only its hash: a host may come from a template
/// with a secret.
struct PaceRecord: Equatable {
  /// Hash by which a record is found.
  struct Key: Hashable {
    /// The machine's start: the times of a record of another start mean nothing.
    let boot: UInt64
    let origin: [UInt64]

    init(origin: String, boot: [UInt8]) {
      self.boot = Self.words(SHA256.hash(boot))[0]
      self.origin = Array(Self.words(SHA256.hash(boot + Array(origin.utf8))).prefix(2))
    }

    private static func words(_ bytes: [UInt8]) -> [UInt64] {
      stride(from: 0, to: bytes.count, by: 8).map { word(bytes[$0..<$0 + 8]) }
    }
  }

  /// Size in bytes.
  static let size = 104
  /// A learned rate is forgotten after this time without requests.
  private static let memory: Duration = .seconds(60)
  /// Longest time between two requests that is accepted from another process's rate.
  private static let longestInterval: Duration = .seconds(86_400)
  /// Highest rate that can be learned, per second.
  private static let maxAccepted = 1e9
  /// A process may have read the clock a while before it got the file's lock.
  private static let tolerance: Duration = .seconds(5)

  let key: [UInt64]
  let limit: OriginLimit

  /// Returns true if the bytes are those of a record of this start of the machine, with any times.
  static func isCurrent(_ bytes: ArraySlice<UInt8>, boot: UInt64) -> Bool {
    bytes.count == size && word(bytes.prefix(8)) == boot && word(bytes.suffix(8)) == checksum(bytes.dropLast(8))
  }

  /// Returns true if the bytes begin with a key.
  static func starts(_ bytes: ArraySlice<UInt8>, with key: Key) -> Bool {
    [key.boot] + key.origin == stride(from: 0, to: 24, by: 8).map { word(bytes.dropFirst($0).prefix(8)) }
  }

  /// Time about which the last request was made; the record that has waited longest makes room for another origin.
  static func lastUse(_ bytes: ArraySlice<UInt8>) -> Int {
    Int(truncatingIfNeeded: word(bytes.dropFirst(80).prefix(8)))
  }

  /// Reads a record.
  ///
  /// Returns nil if the bytes are damaged, belong to another origin or another start of the machine, or have impossible
  /// values.
  ///
  /// - Parameter interval: the interval of this process, which the limit keeps.
  init?(_ bytes: [UInt8], key: Key, interval: Duration, now: Duration) {
    guard Self.isCurrent(bytes[...], boot: key.boot), Self.starts(bytes[...], with: key) else { return nil }
    let words = stride(from: 24, to: Self.size - 8, by: 8).map { Int64(bitPattern: word(bytes[$0..<$0 + 8])) }
    let (heldUntil, nextSlot) = (Duration.nanoseconds(words[0]), Duration.nanoseconds(words[1]))
    guard heldUntil >= .zero, nextSlot >= .zero, nextSlot - now <= max(Self.longestInterval, interval) * 2 else {
      return nil
    }
    let (successes, recentSuccesses) = halves(words[2])
    guard recentSuccesses <= successes else { return nil }
    let (accepted, restored) = (Self.double(words[3]), Self.double(words[4]))
    let (refusedAt, start) = (Duration.nanoseconds(words[5]), Duration.nanoseconds(words[7]))
    guard refusedAt <= now + Self.tolerance, start >= .zero, start <= now + Self.tolerance else { return nil }
    guard accepted == 0 || (LearnedRate.minRate...Self.maxAccepted).contains(accepted),
      (0...Self.maxAccepted).contains(restored)
    else { return nil }
    let learned =
      accepted == 0
      ? nil
      : LearnedRate(
        accepted: accepted, restored: restored, refusedAt: refusedAt, pause: .nanoseconds(words[6]),
        successes: recentSuccesses)
    let (count, last) = halves(words[8])
    let throughput = Throughput(start: start, count: count, last: last)
    self.key = key.origin
    var limit = OriginLimit(
      interval: interval, heldUntil: heldUntil, nextSlot: nextSlot, successes: successes, learned: learned,
      throughput: throughput)
    limit.forget(after: Self.memory, now: now)
    self.limit = limit
  }

  /// Returns the bytes of a limit's record.
  static func bytes(of limit: OriginLimit, key: Key) -> [UInt8] {
    let (learned, throughput) = (limit.learned, limit.throughput)
    var words = [key.boot] + key.origin
    words += [limit.heldUntil, limit.nextSlot].map { UInt64(bitPattern: $0.nanoseconds) }
    words.append(joined(limit.successes, learned?.successes ?? 0))
    words += [learned?.accepted ?? 0, learned?.restored ?? 0].map(\.bitPattern)
    words += [learned?.refusedAt ?? .zero, learned?.pause ?? .zero, throughput.start].map {
      UInt64(bitPattern: $0.nanoseconds)
    }
    words.append(joined(throughput.count, throughput.last))
    var bytes = words.flatMap(bytes(ofWord:))
    bytes += Self.bytes(ofWord: checksum(bytes[...]))
    return bytes
  }

  private static func double(_ word: Int64) -> Double { Double(bitPattern: UInt64(bitPattern: word)) }

  private static func bytes(ofWord word: UInt64) -> [UInt8] {
    stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
  }

  /// FNV-1a, 64 bits.
  ///
  /// The checksum finds damage, not forgery: whoever may write to the file may also choose the times in it.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

/// Returns two counts as one word; higher ones are cut.
private func joined(_ low: Int, _ high: Int) -> UInt64 {
  UInt64(min(low, 0xFFFF_FFFF)) | UInt64(min(high, 0xFFFF_FFFF)) << 32
}

private func halves(_ word: Int64) -> (low: Int, high: Int) { (Int(word & 0xFFFF_FFFF), Int(word >> 32 & 0xFFFF_FFFF)) }

/// Reads up to eight bytes, the lowest first.
private func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
  bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
}

extension Duration {
  /// Whole nanoseconds; more than 146 years are cut.
  fileprivate var nanoseconds: Int64 {
    let most: Int64 = 1 << 62
    let (seconds, attoseconds) = components
    guard abs(seconds) < most / 1_000_000_000 else { return seconds < 0 ? -most : most }
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
