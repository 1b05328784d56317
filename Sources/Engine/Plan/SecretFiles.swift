// Secrets from files, as systemd, Docker and Kubernetes hand them to a program.

import Primitives
import Diagnostics
import Files
import PipelineSpec
import Wire

/// Folders with one file for each secret.
struct SecretFiles {
  /// Largest size of a secret's file, in bytes.
  private static let most = 1 << 20

  /// Folders in the order in which they are looked at.
  private let folders: [String]
  /// The folder that the caller names, for which no other folder is a substitute.
  private let named: String?

  init(_ options: RunOptions) {
    let given = [options.secretsFolder, options.environment["CREDENTIALS_DIRECTORY"], "/run/secrets"]
    folders = given.compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
    named = options.secretsFolder
  }

  /// The paths at which a file is looked for, in this order.
  func paths(of name: String) -> [String] { folders.map { $0 + "/" + name } }

  /// Returns the text of a file without its last line end; nil if no folder has the file.
  ///
  /// - Throws: `InputError` if a file can't be read, or if the folder of `--secrets` is none.
  func text(of name: String) throws(InputError) -> String? {
    if let named, (try? OutputPath.facts(of: named, calls: .system))?.kind != .folder {
      throw InputError(problem: "'\(named.printable)' of --secrets is no folder: give the one with the secrets")
    }
    for path in paths(of: name) {
      let file: FileMetadata
      do {
        guard let found = try OutputPath.facts(of: path, calls: .system) else { continue }
        file = found
      } catch .failed(let problem) {
        throw InputError(problem: problem)
      } catch {
        throw InputError(problem: "'\(path.printable)' can't be read")
      }
      guard file.kind == .regular, file.size <= Self.most else {
        throw InputError(problem: "'\(path.printable)' is no file of at most 1 MB")
      }
      guard let text = String(validating: try Input(path: path).readAll(), as: UTF8.self) else {
        throw InputError(problem: "'\(path.printable)' is not UTF-8")
      }
      let end = text.hasSuffix("\r\n") ? 2 : text.hasSuffix("\n") ? 1 : 0
      return String(decoding: text.utf8.dropLast(end), as: UTF8.self)
    }
    return nil
  }

  /// The folders, for a message.
  var list: String { folders.map { "'\($0.printable)'" }.joined(separator: ", ") }
}
