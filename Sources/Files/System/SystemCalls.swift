// The system calls for files in one table, so that a test can make each of them fail.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Number of this process.
var processNumber: Int32 { getpid() }

/// The user whose rights this process has.
var userNumber: UInt32 { UInt32(geteuid()) }

/// The system's calls.
///
/// A call that a signal interrupted (EINTR) is repeated. Every other failure is thrown.
package struct SystemCalls: Sendable {
  /// The mode in which a file is opened.
  package enum Opening: Sendable {
    /// Creates a new file with the mode of the user's umask; an error if the path exists.
    case new
    /// Creates a new file that only its owner may use, from the first moment.
    case newPrivate
    /// A file without a name in a folder, for its owner alone (`O_TMPFILE`); not every system has it.
    case unnamed
    /// A regular file for reading; opening another kind of file does not wait.
    case reading
    /// A file or pipe that a run reads to the end; neither opening it nor reading it waits.
    case input
    /// A file that a run has left beside its own, for reading and writing: no link is followed, and opening does not
    /// wait.
    case left
    /// A file of another user's run, which this user can't write: only for locking and reading.
    case leftByAnother
    /// An existing file or device, to be written without being replaced; opening a pipe without a reader fails.
    case inPlace
    /// The same for the records of a run; opening a pipe waits for its reader, as a shell's `>` does.
    case output
    case folder
  }

  package var open: @Sendable (_ path: String, Opening) throws(SystemError) -> Int32
  package var close: @Sendable (Int32) -> Void
  /// Writes bytes, and returns their number, which may be lower.
  package var write: @Sendable (Int32, [UInt8]) throws(SystemError) -> Int
  /// Reads bytes, and returns their number, 0 at the end.
  package var read: @Sendable (Int32, inout [UInt8]) throws(SystemError) -> Int
  /// Reads bytes from an offset, and returns their number, 0 at the end.
  package var readAt: @Sendable (Int32, inout [UInt8], _ offset: Int) throws(SystemError) -> Int
  /// Writes bytes from an offset on, and returns their number, which may be lower.
  package var writeAt: @Sendable (Int32, [UInt8], _ offset: Int) throws(SystemError) -> Int
  package var seek: @Sendable (Int32, _ offset: Int) throws(SystemError) -> Void
  package var sync: @Sendable (Int32) throws(SystemError) -> Void
  /// Lets the system begin to write a part of a file to the disk, if it can.
  package var beginSync: @Sendable (Int32, _ part: Range<Int>) -> Void
  package var truncate: @Sendable (Int32, _ size: Int) throws(SystemError) -> Void
  package var setMode: @Sendable (Int32, UInt32) throws(SystemError) -> Void
  package var rename: @Sendable (_ path: String, _ new: String) throws(SystemError) -> Void
  package var remove: @Sendable (_ path: String) throws(SystemError) -> Void
  /// Locks a file for this process alone, or fails at once.
  package var lock: @Sendable (Int32) throws(SystemError) -> Void
  /// Releases the lock of a file that stays open.
  package var unlock: @Sendable (Int32) -> Void
  /// Returns the metadata of a path, following links.
  package var metadata: @Sendable (_ path: String) throws(SystemError) -> FileMetadata
  package var metadataOfOpen: @Sendable (Int32) throws(SystemError) -> FileMetadata
  /// Returns the target of a symbolic link; nil for another file.
  package var linkTarget: @Sendable (_ path: String) -> String?
  /// Gives an empty file the bytes of another one without copying them, if the file system supports it.
  package var share: @Sendable (_ from: Int32, _ to: Int32) throws(SystemError) -> Void
}

extension SystemCalls {
  package static let system = SystemCalls(
    open: { (path, opening) throws(SystemError) in
      try checked {
        systemOpen(path, opening.flags | O_CLOEXEC, [.newPrivate, .unnamed].contains(opening) ? 0o600 : 0o666)
      }
    },
    close: { file in
      // A child that is just being started has a copy of the descriptor, with which it would hold the lock a while longer.
      flock(file, LOCK_UN)
      _ = systemClose(file)
    },
    write: { (file, bytes) throws(SystemError) in try count { systemWrite(file, bytes, min(bytes.count, longestCall)) }
    },
    read: { (file, bytes) throws(SystemError) in
      // Take the buffer out of the call, since a copy would cost more than the call.
      var buffer: [UInt8] = []
      swap(&buffer, &bytes)
      defer { swap(&buffer, &bytes) }
      return try count { systemRead(file, &buffer, min(buffer.count, longestCall)) }
    },
    readAt: { (file, bytes, offset) throws(SystemError) in
      var buffer: [UInt8] = []
      swap(&buffer, &bytes)
      defer { swap(&buffer, &bytes) }
      return try count { pread(file, &buffer, min(buffer.count, longestCall), off_t(offset)) }
    },
    writeAt: { (file, bytes, offset) throws(SystemError) in
      try count { pwrite(file, bytes, min(bytes.count, longestCall), off_t(offset)) }
    },
    seek: { (file, offset) throws(SystemError) in try checked { lseek(file, off_t(offset), SEEK_SET) < 0 ? -1 : 0 } },
    sync: { (file) throws(SystemError) in try checked { syncToDisk(file) } },
    beginSync: { file, part in
      // Linux writes what it is advised to drop from memory, and keeps it there until it is written.
      #if os(Linux)
        _ = posix_fadvise(file, off_t(part.lowerBound), off_t(part.count), POSIX_FADV_DONTNEED)
      #endif
    },
    truncate: { (file, size) throws(SystemError) in try checked { ftruncate(file, off_t(size)) } },
    setMode: { (file, mode) throws(SystemError) in try checked { fchmod(file, mode_t(mode)) } },
    rename: { (path, new) throws(SystemError) in try checked { systemRename(path, new) } },
    remove: { (path) throws(SystemError) in try checked { unlink(path) } },
    lock: { (file) throws(SystemError) in try checked { flock(file, LOCK_EX | LOCK_NB) } },
    unlock: { file in flock(file, LOCK_UN) },
    metadata: { (path) throws(SystemError) in
      var info = stat()
      try checked { stat(path, &info) }
      return FileMetadata(info)
    },
    metadataOfOpen: { (file) throws(SystemError) in
      var info = stat()
      try checked { fstat(file, &info) }
      return FileMetadata(info)
    },
    linkTarget: { path in
      var target = [CChar](repeating: 0, count: 4_096)
      let count = readlink(path, &target, target.count)
      guard count > 0 else { return nil }
      return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    },
    share: { (source, target) throws(SystemError) in
      #if os(Linux)
        try checked { ioctl(target, shareBytes, source) }
      #else
        throw SystemError(code: ENOTSUP)
      #endif
    })

  /// Most bytes a call: Darwin refuses more than `INT_MAX`, and Linux accepts fewer.
  private static let longestCall = 1 << 30

  #if os(Linux)
    /// `O_TMPFILE`, a macro that Swift doesn't import: `__O_TMPFILE | O_DIRECTORY` (open(2)).
    ///
    /// `__O_TMPFILE` is the same on every architecture that Swift supports.
    fileprivate static let unnamedFile = 0o20_000_000 | O_DIRECTORY
  #else
    /// This is refused as a folder opened for writing, since the system has no unnamed files.
    fileprivate static let unnamedFile = O_DIRECTORY
  #endif

  #if os(Linux)
    /// `FICLONE` (ioctl_ficlone(2)), a macro that Swift doesn't import.
    private static let shareBytes: UInt = 0x4004_9409
  #endif

  @discardableResult
  static func checked(_ call: () -> Int32) throws(SystemError) -> Int32 {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw SystemError(code: code) }
    }
  }

  private static func count(_ call: () -> Int) throws(SystemError) -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw SystemError(code: code) }
    }
  }

  /// Syncs a file.
  ///
  /// On macOS `fsync` leaves the bytes in the drive's cache.
  private static func syncToDisk(_ file: Int32) -> Int32 {
    #if canImport(Darwin)
      fcntl(file, F_FULLFSYNC) == 0 ? 0 : fsync(file)
    #else
      fsync(file)
    #endif
  }
}

extension SystemCalls.Opening {
  var flags: Int32 {
    switch self {
    case .new, .newPrivate: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    case .unnamed: O_RDWR | SystemCalls.unnamedFile
    case .reading: O_RDONLY | O_NONBLOCK | O_NOCTTY
    case .input: O_RDONLY | O_NONBLOCK | O_NOCTTY
    case .left: O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    case .leftByAnother: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    case .inPlace: O_WRONLY | O_NONBLOCK | O_NOCTTY
    case .output: O_WRONLY | O_NOCTTY
    case .folder: O_RDONLY | O_DIRECTORY
    }
  }
}

// Aliases for system functions that the table's members would hide.
#if canImport(Darwin)
  private let (systemWrite, systemRead, systemClose, systemRename) = (
    Darwin.write, Darwin.read, Darwin.close, Darwin.rename
  )
  private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { Darwin.open(path, flags, mode) }
#elseif canImport(Musl)
  private let (systemWrite, systemRead, systemClose, systemRename) = (Musl.write, Musl.read, Musl.close, Musl.rename)
  private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { Musl.open(path, flags, mode) }
#else
  private let (systemWrite, systemRead, systemClose, systemRename) = (
    Glibc.write, Glibc.read, Glibc.close, Glibc.rename
  )
  private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { Glibc.open(path, flags, mode) }
#endif

// System calls for names in an open folder. None follows a symbolic link, and each name is a single path component. So
// no name can lead out of the folder.

/// A table of system calls, so that a test can make each of them fail.
///
/// A `folder` is the descriptor of an open folder.
package struct FolderCalls: Sendable {
  package var openFolder: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Int32
  package var makeFolder: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Void
  /// Creates a new file, open for writing; throws if the name exists.
  package var make: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Int32
  /// Opens an existing file, only to lock it.
  package var open: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Int32
  package var metadata: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> EntryMetadata
  package var rename: @Sendable (_ folder: Int32, _ name: String, _ new: String) throws(SystemError) -> Void
  package var remove: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Void
  package var setModified: @Sendable (_ file: Int32, _ seconds: Int) throws(SystemError) -> Void
}

extension FolderCalls {
  /// Value in place of an open folder's descriptor; names are then paths, and may lead anywhere.
  static let currentFolder = AT_FDCWD

  package static let system = FolderCalls(
    openFolder: { (folder, name) throws(SystemError) in
      try SystemCalls.checked { openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    },
    makeFolder: { (folder, name) throws(SystemError) in try SystemCalls.checked { mkdirat(folder, name, 0o777) } },
    make: { (folder, name) throws(SystemError) in
      try SystemCalls.checked { openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666) }
    },
    open: { (folder, name) throws(SystemError) in
      try SystemCalls.checked { openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    },
    metadata: { (folder, name) throws(SystemError) in
      var info = stat()
      try SystemCalls.checked { fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) }
      return EntryMetadata(info)
    },
    rename: { (folder, name, new) throws(SystemError) in
      try SystemCalls.checked { renameat(folder, name, folder, new) }
    },
    remove: { (folder, name) throws(SystemError) in try SystemCalls.checked { unlinkat(folder, name, 0) } },
    setModified: { (file, seconds) throws(SystemError) in
      let time = timespec(tv_sec: time_t(seconds), tv_nsec: 0)
      try SystemCalls.checked { futimens(file, [time, time]) }
    })
}

/// The time since the machine's start, which is the same in all processes of the machine.
///
/// It also runs while the machine is suspended, as a server's pause does. No change of the wall clock moves it.
package enum BootClock {
  package static var now: Duration {
    #if canImport(Darwin)
      return .nanoseconds(Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)))
    #else
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    #endif
  }

  /// Returns a name of the time since the last start; times of another start can't be compared with `now`.
  package static func identity(calls: SystemCalls = .system) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    #if canImport(Darwin)
      var count = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else {
        throw FileError("read", "kern.bootsessionuuid", SystemError(code: errno))
      }
    #else
      let path = "/proc/sys/kernel/random/boot_id"
      let count = try Descriptor(path: path, .reading, calls: calls).read(into: &bytes)
    #endif
    return Array(bytes[..<count])
  }
}

// MARK: What the calls tell of a file

/// The metadata of a file.
package struct FileMetadata: Hashable, Sendable {
  package enum Kind: Sendable { case regular, folder, other }
  /// Kinds that are `other` than regular files and folders.
  enum Special: Sendable { case pipe, device }
  package let kind: Kind
  package let size: Int
  /// The permissions of user, group and others.
  package let mode: UInt32
  /// Identity of the file, whatever its name: device and inode.
  package let identity: [UInt64]
  /// The user that it belongs to.
  package var owner: UInt32
  /// Number of the file's names (hard links).
  package var nameCount: Int
  /// What a file is that is neither regular nor a folder; nil for a socket and the like.
  var special: Special?
  /// Time of the last change: Unix seconds, and nanoseconds.
  var modified: [Int] = []
}

extension FileMetadata {
  init(_ info: stat) {
    let kind: Kind =
      switch info.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      default: .other
      }
    self.init(
      kind: kind, size: Int(info.st_size), mode: UInt32(info.st_mode & 0o777),
      identity: [UInt64(truncatingIfNeeded: info.st_dev), UInt64(info.st_ino)], owner: UInt32(info.st_uid),
      nameCount: Int(info.st_nlink))
    switch info.st_mode & S_IFMT {
    case S_IFIFO: special = .pipe
    case S_IFCHR, S_IFBLK: special = .device
    default: special = nil
    }
    #if canImport(Darwin)
      modified = [info.st_mtimespec.tv_sec, info.st_mtimespec.tv_nsec]
    #else
      modified = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
    #endif
  }
}

/// The metadata of a directory entry.
package struct EntryMetadata: Hashable, Sendable {
  package enum Kind: Sendable { case regular, folder, link, other }
  package let kind: Kind
  package let size: Int
  package let mode: UInt32
  /// Time of the last change in Unix seconds.
  package let modified: Int
  /// Identity of the file, whatever its name; nil if it has several names.
  package let identity: FileIdentity?
}

extension EntryMetadata {
  init(_ info: stat) {
    switch info.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    size = Int(info.st_size)
    mode = UInt32(info.st_mode & 0o777)
    #if canImport(Darwin)
      modified = info.st_mtimespec.tv_sec
    #else
      modified = info.st_mtim.tv_sec
    #endif
    let device = UInt64(truncatingIfNeeded: info.st_dev)
    identity = info.st_nlink == 1 ? FileIdentity(device: device, inode: UInt64(info.st_ino)) : nil
  }
}

/// Device and inode of a file, hashed to one number.
///
/// A run writes to one device, or very few, so equal numbers for files of two devices are not to be expected.
package struct FileIdentity: Hashable, Sendable {
  private let number: UInt64

  init(device: UInt64, inode: UInt64) {
    number = inode &+ device &* 0x9E37_79B9_7F4A_7C15
  }
}
