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
  }
}
