// A value behind a lock: the standard library's own, in a form that the thread sanitizer can see.

package import Synchronization

#if THREAD_SANITIZER
  /// `Mutex`, which on Linux is made of atomics that the sanitizer does not see, so that whatever it guards would look
  /// like a race. This one tells the sanitizer what comes before what. Only CI's sanitizer build has it.
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
