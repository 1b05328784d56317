// The file of a draft: a new one, since nobody wants a spec replaced by a guess.

import Diagnostics
import Files

/// A file that is not there yet.
package struct DraftFile: Sendable {
  private let path: String

  /// - Throws: `OutputError` if there is such a file.
  package init(_ path: String) throws(OutputError) {
    self.path = path
    let isThere: Bool
    do {
      isThere = try OutputPath.facts(of: path, calls: .system) != nil
    } catch {
      throw OutputError(error)
    }
    if isThere { throw .failed("'\(path.printable)' is there already: give another name, or remove it") }
  }

  package func write(_ text: String) throws(OutputError) {
    do {
      var file = try AtomicFile(OutputPath(path))
      try file.write(Array(text.utf8))
      try file.finish()
    } catch {
      throw OutputError(error)
    }
  }
}
