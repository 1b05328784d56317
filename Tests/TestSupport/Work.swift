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
/// Measured in the processor time of this thread, the least of some runs each, so that neither the machine's speed nor what
/// else it does matters: that slows some runs, and speeds up none.
package func growthByEight(from size: Int, _ work: (Int) throws -> Void) rethrows -> Double {
  var (small, large) = (Double.infinity, Double.infinity)
  for round in 1...10 where round < 4 || large > 12 * small {
    small = min(small, try time { try work(size) })
    large = min(large, try time { try work(size * 8) })
  }
  return large / small
}

private func time(_ work: () throws -> Void) rethrows -> Double {
  let start = processorTime()
  try work()
  return processorTime() - start
}

private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
