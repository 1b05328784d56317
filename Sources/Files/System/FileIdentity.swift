#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Device and inode of a file, hashed to one number.
///
/// A run writes to one device, or very few, so equal numbers for files of two devices are not to be expected.
package struct FileIdentity: Hashable, Sendable {
  private let number: UInt64

  init(device: UInt64, inode: UInt64) {
    number = inode &+ device &* 0x9E37_79B9_7F4A_7C15
  }
}
