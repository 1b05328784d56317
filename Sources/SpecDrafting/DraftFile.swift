// The file of a draft: always a new file, so that no spec is replaced by a guess.

import Diagnostics
package import Files

/// A file that does not exist yet.
package struct DraftFile: Sendable {
  private let path: String

  /// - Throws: `FileError` if there is such a file.
  package init(givenBy option: String, _ path: String) throws(FileError) {
    self.path = path
    try FileError.of(option) { () throws(FileError) in try Self.check(path) }
  }

  private static func check(_ path: String) throws(FileError) {
    let folder = OutputPath(path).folder
    let kind = try OutputPath.facts(of: folder, calls: .system)?.kind
    guard kind == .folder else { throw .unmade(path, kind == nil ? .missing : .notFolder, .system) }
    let isThere: Bool
    isThere = try OutputPath.facts(of: path, calls: .system) != nil
    if isThere { throw .failed("'\(path.printable)' is there already: give another name, or remove it") }
  }

  package func write(_ text: String) throws(FileError) {
    var file = try AtomicFile(OutputPath(path))
    try file.write(Array(text.utf8))
    try file.finish()
  }
}
