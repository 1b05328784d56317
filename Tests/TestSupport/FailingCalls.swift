import Foundation
import Synchronization

package import Files

/// The calls of the table, to be told which of them fails.
package enum Call: String, CaseIterable, Sendable {
  case open, write, read, writeAt, readAt, seek, sync, truncate, setMode, rename, remove, lock, metadata, metadataOfOpen

  /// The calls of outputs: all but those on the records of a `RecordFile`.
  package static let ofOutputs = allCases.filter { $0 != .writeAt && $0 != .readAt }
}

extension SystemCalls {
  /// Calls of which the n-th of a kind (from 1) fails.
  ///
  /// Writes are short otherwise, at most 1,000 bytes a call.
  package static func failing(_ call: Call, at number: Int, with code: Int32) -> SystemCalls {
    let counter = CallCounter()
    return checked { (made) throws(SystemError) in
      if made == call, counter.next() == number { throw SystemError(code: code) }
    }
  }

  /// Calls of which only so many are made, as if the process had been killed then: nothing that comes behind them
  /// reaches the disk.
  ///
  /// Files are closed, so that locks are let go of.
  package static func dying(after most: Int, counting counter: CallCounter) -> SystemCalls {
    checked { (_) throws(SystemError) in
      if counter.next() > most { throw SystemError(code: EIO) }
    }
  }

  /// Asks before each call.
  private static func checked(_ check: @escaping @Sendable (Call) throws(SystemError) -> Void) -> SystemCalls {
    let system = SystemCalls.system
    var calls = system
    calls.open = { (path, opening) throws(SystemError) in
      try check(.open)
      return try system.open(path, opening)
    }
    calls.write = { (file, bytes) throws(SystemError) in
      try check(.write)
      return try system.write(file, Array(bytes.prefix(1_000)))
    }
    calls.read = { (file, bytes) throws(SystemError) in
      try check(.read)
      return try system.read(file, &bytes)
    }
    calls.readAt = { (file, bytes, offset) throws(SystemError) in
      try check(.readAt)
      return try system.readAt(file, &bytes, offset)
    }
    calls.writeAt = { (file, bytes, offset) throws(SystemError) in
      try check(.writeAt)
      return try system.writeAt(file, Array(bytes.prefix(100)), offset)
    }
    calls.seek = { (file, offset) throws(SystemError) in
      try check(.seek)
      try system.seek(file, offset)
    }
    calls.sync = { (file) throws(SystemError) in
      try check(.sync)
      try system.sync(file)
    }
    calls.truncate = { (file, size) throws(SystemError) in
      try check(.truncate)
      try system.truncate(file, size)
    }
    calls.setMode = { (file, mode) throws(SystemError) in
      try check(.setMode)
      try system.setMode(file, mode)
    }
    calls.rename = { (old, new) throws(SystemError) in
      try check(.rename)
      try system.rename(old, new)
    }
    calls.remove = { (path) throws(SystemError) in
      try check(.remove)
      try system.remove(path)
    }
    calls.lock = { (file) throws(SystemError) in
      try check(.lock)
      try system.lock(file)
    }
    calls.metadata = { (path) throws(SystemError) in
      try check(.metadata)
      return try system.metadata(path)
    }
    calls.metadataOfOpen = { (file) throws(SystemError) in
      try check(.metadataOfOpen)
      return try system.metadataOfOpen(file)
    }
    // So that bytes are copied, whatever the file system can.
    calls.share = { (_, _) throws(SystemError) in throw SystemError(code: ENOTSUP) }
    return calls
  }
}

/// Numbers calls from 1.
package final class CallCounter: Sendable {
  private let count = Atomic(0)

  package init() {}

  /// How many there were.
  package var value: Int { count.load(ordering: .relaxed) }

  package func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
