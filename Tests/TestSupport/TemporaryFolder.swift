// A folder of its own for a test.

import Foundation

/// A new, empty folder that is deleted with everything in it when the last reference goes.
package final class TemporaryFolder: Sendable {
  /// Absolute, without a `/` at the end.
  package let path: String

  /// - Parameter isInMemory: whether the folder is in memory, if the system has a place there: for many small files.
  package init(isInMemory: Bool = false) throws {
    let name = "pagecat-test-\(UUID().uuidString)"
    let memory = "/dev/shm"
    path =
      isInMemory && FileManager.default.isWritableFile(atPath: memory)
      ? "\(memory)/\(name)" : FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of something in the folder.
  package func path(of name: String) -> String { path + "/" + name }

  /// Writes a file and returns its path.
  ///
  /// Folders in the name are made.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write([UInt8](text.utf8), to: name)
  }

  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = URL(fileURLWithPath: path(of: name))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file.path
  }

  package func read(_ name: String) throws -> String {
    String(decoding: try readBytes(name), as: UTF8.self)
  }

  package func readBytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(of: name))))
  }

  /// Names in the folder, sorted: to see that nothing was left behind.
  package var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
