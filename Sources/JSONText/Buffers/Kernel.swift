// Selects the instructions that the first stage uses: once, the best that the machine has.

import CJSONText

/// Instruction set that the pass was written for; all of them give equal results for equal bytes.
package struct Kernel: Sendable, Equatable {
  let code: CInt
  /// Number of bytes that are read portably first, since a shorter value is not worth a scan.
  let probe: Int

  package static let best = Kernel(code: cjson_best(), probe: 128)
  package static let portable = Kernel(code: CInt(CJSONPortable), probe: .max)

  /// All kernels that this machine can run, by name, for tests and measurements; they scan whatever is long enough.
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
