// Pipes are made to hold more than they do by themselves: both ends wait for each other less often.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How much a pipe can hold before who writes to it must wait.
package enum PipeRoom {
  /// The most that Linux lets anybody ask for (`/proc/sys/fs/pipe-max-size`). By itself a pipe holds 64 KB.
  private static let wanted: Int32 = 1 << 20

  /// Makes a pipe hold more; what is no pipe, or may not, stays as it is. Other systems do so by themselves.
  package static func widen(_ descriptor: Int32) {
    #if os(Linux)
      let room = fcntl(descriptor, getRoom)
      if room > 0, room < wanted { _ = fcntl(descriptor, setRoom, wanted) }
    #endif
  }

  /// Whether so many bytes certainly have room: an empty pipe that holds as many. Not known of a socket or a terminal.
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
