// Larger buffers for pipes, so that writer and reader wait for each other less often.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The free room in the buffer of a pipe.
package enum PipeRoom {
  /// Largest size that Linux grants to any process (`/proc/sys/fs/pipe-max-size`); the default is 64 KB.
  private static let wanted: Int32 = 1 << 20

  /// Enlarges the buffer of a pipe, and ignores failures and other files.
  ///
  /// Other systems enlarge it by themselves.
  package static func widen(_ descriptor: Int32) {
    #if os(Linux)
      let room = fcntl(descriptor, getRoom)
      if room > 0, room < wanted { _ = fcntl(descriptor, setRoom, wanted) }
    #endif
  }

  /// Reports that this many bytes certainly fit: the pipe is empty and large enough.
  ///
  /// Unknown for a socket or a terminal.
  package static func holds(_ count: Int, _ descriptor: Int32) -> Bool {
    #if os(Linux)
      var waiting: Int32 = 0
      let room = Int(fcntl(descriptor, getRoom))
      return count <= room && ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 && waiting == 0
    #else
      return false
    #endif
  }

  #if os(Linux)
    /// `F_SETPIPE_SZ` and `F_GETPIPE_SZ` (fcntl(2)), which glibc shows to GNU programs only.
    private static let (setRoom, getRoom): (Int32, Int32) = (1_031, 1_032)
  #endif
}
