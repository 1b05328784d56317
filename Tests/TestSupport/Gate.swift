// A door that a test holds shut, to put things that happen at the same time into the order it wants to see.

import Dispatch
import Synchronization

/// Server threads stop at a gate (`Answer.held(by:)`, `Answer.drip`) until the test lets them through.
///
///     let gate = Gate()
///     let server = try LoopbackServer { _ in .json("[]").held(by: gate) }
///     async let reply = fetch(server.url("/"))
///     await gate.reached(1)   // the request is there, the reply is not
///     gate.open()
package final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isOpen = Atomic(false)
  private let arrivals = Watched(0)

  package init() {}

  /// Lets this many through, now or when they come.
  package func admit(_ count: Int = 1) {
    for _ in 0..<count { semaphore.signal() }
  }

  /// Lets everyone through from now on.
  package func open() {
    isOpen.store(true, ordering: .releasing)
    semaphore.signal()
  }

  /// Blocks the calling thread until it may go on.
  ///
  /// Not for tasks: this is the side of the server's threads, and of the closures that run on them.
  package func pass() {
    arrivals.update { $0 += 1 }
    // Nothing depends on the time: it only ends the thread of a test that has failed already.
    _ = semaphore.wait(timeout: .now() + .seconds(900))
    if isOpen.load(ordering: .acquiring) { semaphore.signal() }
  }

  /// Waits until so many have come to the gate, those that went through included.
  package func reached(_ count: Int) async {
    await arrivals.when { $0 >= count }
  }
}
