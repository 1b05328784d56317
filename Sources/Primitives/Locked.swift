// A value protected by a lock: the standard library's `Mutex`, or a form that the thread sanitizer understands.

package import Synchronization

#if THREAD_SANITIZER
  /// A `Mutex` that reports its order of events to the thread sanitizer.
  ///
  /// On Linux `Mutex` is built from atomics that the sanitizer does not see, so every value that it protects would look
  /// like a race. Only CI's sanitizer build uses this type.
  package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private final class Mark {}

    private let mutex: Mutex<Value>
    private let mark = Mark()

    package init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      let address = Unmanaged.passUnretained(mark).toOpaque()
      return try mutex.withLock { value throws(Failure) in
        sanitizerAcquire(address)
        defer { sanitizerRelease(address) }
        return try body(&value)
      }
    }
  }

  @_silgen_name("__tsan_acquire")
  private func sanitizerAcquire(_ address: UnsafeMutableRawPointer)
  @_silgen_name("__tsan_release")
  private func sanitizerRelease(_ address: UnsafeMutableRawPointer)
#else
  package typealias Locked = Mutex
#endif
