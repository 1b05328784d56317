// System calls for names in an open folder. None follows a symbolic link, and each name is a single path component. So
// no name can lead out of the folder.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
  package var facts: @Sendable (_ folder: Int32, _ name: String) throws(SystemError) -> EntryMetadata
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
