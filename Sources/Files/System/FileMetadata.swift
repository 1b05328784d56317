#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
