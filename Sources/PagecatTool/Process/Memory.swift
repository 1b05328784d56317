// How much memory the process may have: no command begins that is certain to run out of it.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

enum Memory {
  /// What libcurl, the libraries that it loads, a thread and a small page take: 18 MB were the least that did. With less,
  /// libraries end the process in the middle of a run, without a word.
  private static let least = 32 << 20

  /// Why no command can run here; nil when one can.
  static var refusal: String? {
    // Where the system has no limit, this takes nothing: what nobody writes to is no memory.
    let room = mmap(nil, least, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard room == MAP_FAILED else {
      munmap(room, least)
      return nil
    }
    return "a process here may not have \(least >> 20) MB more of memory, which are needed: see 'ulimit -v'"
  }
}
