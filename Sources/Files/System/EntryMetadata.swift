#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
