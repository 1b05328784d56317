// How work grows with its size: for promises such as "linear", which no clock on the wall could hold.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How many times the work of one size takes to do eight times as much: about 8 where it is linear, 64 where it is
/// quadratic.
///
/// Measured in the processor time of this thread, the least of three runs each, so that neither the machine's speed nor
/// what else it does matters.
package func growthByEight(from size: Int, _ work: (Int) throws -> Void) rethrows -> Double {
  let small = try leastTime { try work(size) }
  return try leastTime { try work(size * 8) } / small
}

private func leastTime(_ work: () throws -> Void) rethrows -> Double {
  var least = Double.infinity
  for _ in 0..<3 {
    let start = processorTime()
    try work()
    least = min(least, processorTime() - start)
  }
  return least
}

private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
