import Synchronization

package import Files

/// File calls that stop having any effect at a chosen moment, as after `kill -9`: the disk keeps what it has then.
///
/// Locks and syncs do nothing at all, so that many runs in one process are fast and never wait for each other.
package final class KillSwitch: Sendable {
  private let isKilled = Atomic(false)

  package init() {}

  /// From now on no call changes a file.
  package func kill() {
    isKilled.store(true, ordering: .sequentiallyConsistent)
  }

  private var isDead: Bool { isKilled.load(ordering: .sequentiallyConsistent) }

  package var calls: SystemCalls {
    let system = SystemCalls.system
    var calls = system
    calls.open = { (path, opening) throws(SystemError) in
      if self.isDead, [.new, .newPrivate].contains(opening) { throw SystemError(code: 5) }
      return try system.open(path, opening)
    }
    calls.write = { (file, bytes) throws(SystemError) in
      self.isDead ? bytes.count : try system.write(file, bytes)
    }
    calls.truncate = { (file, size) throws(SystemError) in
      if !self.isDead { try system.truncate(file, size) }
    }
    calls.setMode = { (file, mode) throws(SystemError) in
      if !self.isDead { try system.setMode(file, mode) }
    }
    calls.rename = { (old, new) throws(SystemError) in
      if !self.isDead { try system.rename(old, new) }
    }
    calls.remove = { (path) throws(SystemError) in
      if !self.isDead { try system.remove(path) }
    }
    calls.share = { (source, target) throws(SystemError) in
      if !self.isDead { try system.share(source, target) }
    }
    calls.sync = { (_) throws(SystemError) in }
    calls.lock = { (_) throws(SystemError) in }
    return calls
  }
}
