// Which instructions the first stage may use: the best that the machine has, chosen once.

import CJSONText

/// A set of instructions that the pass was written for. All of them say the same of the same bytes.
package struct Kernel: Sendable, Equatable {
  let code: CInt
  /// What is read portably first: a shorter value is not worth a scan.
  let probe: Int

  package static let best = Kernel(code: cjson_best(), probe: 128)
  package static let portable = Kernel(code: CInt(CJSONPortable), probe: .max)

  /// Each that this machine can run, by name; they scan whatever is long enough. For tests and measurements.
  package static var all: [(name: String, kernel: Kernel)] {
    [
      ("portable", CJSONPortable), ("SSE2", CJSONSSE2), ("AVX2", CJSONAVX2), ("AVX-512", CJSONAVX512),
      ("NEON", CJSONNEON),
    ]
    .filter { cjson_supports(CInt($0.1)) != 0 }
    .map { ($0.0, $0.1 == CJSONPortable ? .portable : Kernel(code: CInt($0.1), probe: 0)) }
  }

  var isPortable: Bool { code == CInt(CJSONPortable) }
}
