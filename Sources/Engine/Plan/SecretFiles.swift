// Secrets from files, as systemd, Docker and Kubernetes hand them to a program.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import Diagnostics
import Files
package import PipelineSpec
import Primitives
package import Wire

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
    if let named, (try? OutputPath.metadata(of: named, calls: .system))?.kind != .folder {
      throw InputError(problem: "'\(named.printable)' of --secrets is no folder: give the one with the secrets")
    }
    for path in paths(of: name) {
      let file: FileMetadata
      do {
        guard let found = try OutputPath.metadata(of: path, calls: .system) else { continue }
        file = found
      } catch .failed(let problem) {
        throw InputError(problem: problem)
      } catch {
        throw InputError(problem: "'\(path.printable)' can't be read")
      }
      guard file.kind == .regular, file.size <= Self.most else {
        throw InputError(problem: "'\(path.printable)' is no file of at most 1 MB")
      }
      guard let text = String(validating: try Input(path: path).readAll(limit: Input.mostSettings), as: UTF8.self)
      else {
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

// The files of secrets that specs name.

/// Reasons why files of secrets have no text, by the names of their variables.
struct FileReadings {
  /// Files that do not exist, or are empty.
  var missing: [String: String] = [:]
  /// Files that can't be read.
  var broken: [String: String] = [:]
}

extension RunOptions {
  /// Reads the files that the specs name into the environment.
  mutating func readFiles(of specs: [Spec]) -> FileReadings {
    let folders = SecretFiles(self)
    var readings = FileReadings()
    for name in RunPlan.environmentNames(specs) {
      guard let file = Template.Hole.file(ofVariable: name) else { continue }
      do {
        let text = try folders.text(of: file)
        environment[name] = text ?? ""
        if text?.isEmpty != false {
          readings.missing[name] =
            text == nil ? "no file '\(file.printable)' is in \(folders.list); see --secrets" : "the file is empty"
        }
      } catch {
        environment[name] = ""
        readings.broken[name] = error.problem
      }
    }
    return readings
  }
}

// The secrets of a run, for messages that are printed without the run.

extension RunOptions {
  /// Returns the values of the variables and files that the specs name.
  package func secrets(of specs: [Spec]) -> SecretStore {
    var options = self
    _ = options.readFiles(of: specs)
    let names = RunPlan.environmentNames(specs)
    return SecretStore(names.map { options.environment.text(of: $0) }.filter { !$0.isEmpty })
  }
}

// Passwords of proxies, which libcurl itself reads from the environment.

extension Environment {
  /// Variables that libcurl reads for http and https; for http only the lower-case name.
  private static let proxyNames = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// Passwords of all proxies, as spelled and as decoded, and the form that is sent (RFC 7617).
  var proxySecrets: [String] {
    Self.proxyNames.compactMap { self[$0] }.flatMap(Self.secrets)
  }

  private static func secrets(ofProxy proxy: String) -> [String] {
    let scheme = proxy.firstRange(of: "://")
    let rest = proxy[(scheme?.upperBound ?? proxy.startIndex)...]
    guard let end = rest.lastIndex(of: "@"), let mark = rest[..<end].firstIndex(of: ":") else { return [] }
    let password = String(rest[rest.index(after: mark)..<end])
    let (user, meant) = (String(rest[..<mark]).percentDecoded, password.percentDecoded)
    let pair = Data(user + [UInt8(ascii: ":")] + meant).base64EncodedString()
    return [password, String(decoding: meant, as: UTF8.self), pair].filter { !$0.isEmpty }
  }
}
