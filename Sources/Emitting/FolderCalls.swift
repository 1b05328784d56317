// The calls with which names below an open folder are reached. None of them follows a symbolic link, and none takes a
// name apart: so nothing that stands in a name leads out of the folder.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What stands under a name.
package struct EntryMetadata: Hashable, Sendable {
  package enum Kind: Sendable { case regular, folder, link, other }
  package let kind: Kind
  package let size: Int
  package let mode: UInt32
  /// Unix seconds.
  package let modified: Int
  /// Which file it is, whatever it is called; nil when it has several names anyway.
  package let identity: FileIdentity?
}

/// A file's device and inode, in one number. A run writes to one device, or very few: that files of two devices get the
/// same number is not to be expected.
package struct FileIdentity: Hashable, Sendable {
  private let number: UInt64

  init(device: UInt64, inode: UInt64) {
    number = inode &+ device &* 0x9E37_79B9_7F4A_7C15
  }
}

/// The calls, in a table, so that a test can let each of them fail. A `folder` is an open one.
package struct FolderCalls: Sendable {
  package var openFolder: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Int32
  package var makeFolder: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Void
  /// A new file, open for writing; an error where there is anything of that name.
  package var make: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Int32
  /// An existing file, open for nothing but being locked.
  package var open: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Int32
  package var facts: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> EntryMetadata
  package var rename: @Sendable (_ folder: Int32, _ name: String, _ new: String) throws(SystemError) -> Void
  package var remove: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> Void
  package var setModified: @Sendable (_ file: Int32, _ seconds: Int) throws(SystemError) -> Void
}

extension FolderCalls {
  /// Stands for an open folder: names are paths then, and may lead anywhere.
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
      try SystemCalls.checked { openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    },
    facts: { (folder, name) throws(SystemError) in
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

extension EntryMetadata {
  fileprivate init(_ info: stat) {
    switch info.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    size = Int(info.st_size)
    mode = UInt32(info.st_mode & 0o7777)
    #if canImport(Darwin)
      modified = info.st_mtimespec.tv_sec
    #else
      modified = info.st_mtim.tv_sec
    #endif
    let device = UInt64(truncatingIfNeeded: info.st_dev)
    identity = info.st_nlink == 1 ? FileIdentity(device: device, inode: UInt64(info.st_ino)) : nil
  }
}
