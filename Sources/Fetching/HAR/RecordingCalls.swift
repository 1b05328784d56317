// The calls to the system that make a recording last.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// In one table, so that a test can let each of them fail. They return what the system does, and leave the reason in `errno`.
struct RecordingCalls: Sendable {
  var put: @Sendable (Int32, [UInt8]) -> Int = { write($0, $1, min($1.count, 1 << 30)) }
  var sync: @Sendable (Int32) -> Int32 = { fsync($0) }
  var move: @Sendable (String, String) -> Int32 = { rename($0, $1) }

  static let system = RecordingCalls()
}
