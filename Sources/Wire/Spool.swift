// Bytes that wait: in memory up to a size, then in an unnamed temporary file.

/// Bytes written once and read once, in order. Up to `memoryLimit` they are held in memory; from there on they go to an
/// unnamed temporary file, so that memory does not grow with them. The file is gone with the spool, whatever happens.
package final class Spool: Sendable {
  /// - Parameter folder: where the file is made if it is needed; nil for TMPDIR from `environment`, else `/tmp`.
  package init(memoryLimit: Int = 64 << 20, folder: String? = nil, environment: [String: String] = [:]) {
    fatalError("unimplemented")
  }

  /// Adds bytes at the end. Empty ones are nothing.
  package func append(_ bytes: [UInt8]) throws(SpoolFault) { fatalError("unimplemented") }

  /// Bytes in it, read ones included.
  package var count: Int { fatalError("unimplemented") }

  /// The next bytes exactly as one `append` gave them, or nil after the last. Memory that was read is released.
  package func next() throws(SpoolFault) -> [UInt8]? { fatalError("unimplemented") }
}

/// The temporary file failed: which call, on which path, and the system's reason.
package struct SpoolFault: Error, Hashable, Sendable {
  package let problem: String
  package init(problem: String) { self.problem = problem }
}
