// The calls with which names below an open folder are reached. None of them follows a symbolic link, and none takes a
// name apart: so nothing that stands in a name leads out of the folder.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
