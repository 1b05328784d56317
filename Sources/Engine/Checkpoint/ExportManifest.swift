// `--manifest`: the receipt of an export, by which a reader tells a whole set of files, and `pagecat verify`.

import Diagnostics
package import Files
import JSONText
package import PipelineSpec
import Primitives
import Synchronization
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files of an export, and the runs that wrote them.
package final class ExportManifest: Sendable {
  /// A file of the export, and the end of the run that wrote it.
  package struct Part: Sendable {
    /// Path from the manifest's folder.
    let name: String
    /// The run among others: the stream, or the file.
    let title: String
    let verdict: Verdict
    let reason: String
    let exitCode: ExitCode
    let marks: [(name: String, value: JSONValue)]

  }

  /// Version of the manifest's form.
  private static let form = 1
  /// Most bytes of a manifest that is read.
  private static let limit = 64 << 20

  private struct Runs: Sendable {
    /// The files that are in their places.
    var parts: [Part] = []
    /// The ends of runs that wrote no file.
    var fileless: [Part] = []
    /// True once the manifest is written, until another file is missing.
    var isWritten = false
  }

  /// The manifest's own path.
  let path: String
  private let specs: [Spec]
  private let started = Timestamp(clamping: Date().timeIntervalSince1970).rfc3339
  private let runs = Locked(Runs())

  /// - Parameters:
  ///   - output: the path of `-o FILE` or of `-o FOLDER/`.
  ///   - specs: the specs of the runs.
  package init(of output: String, _ specs: [Spec]) {
    path = output.hasSuffix("/") ? output + "manifest.json" : output + ".manifest.json"
    self.specs = specs
  }

  /// Adds the end of a run.
  ///
  /// - Parameter hasFile: true if the run's file is in its place.
  func add(_ part: Part, hasFile: Bool) {
    runs.withLock { runs in
      if hasFile { runs.parts.append(part) } else { runs.fileless.append(part) }
      runs.isWritten = runs.isWritten && hasFile
    }
  }

  /// Writes the manifest, unless the last run has written it before its file got its place, or no file is new.
  package func complete() throws(FileError) {
    if runs.withLock(\.parts.isEmpty) { return }
    if !runs.withLock(\.isWritten) { try write() }
  }

  /// Says in a manifest that is written how the run has ended after all.
  func amend(with last: Part, at path: String, calls: SystemCalls) {
    if runs.withLock(\.isWritten) { try? write(with: last, at: path, calls: calls) }
  }

  /// Writes the manifest in one step.
  ///
  /// - Parameters:
  ///   - last: a file that is about to get its place; nil if all have theirs.
  ///   - path: the path of that file's bytes until then.
  func write(
    with last: Part? = nil, at path: String = "", calls: SystemCalls = .system
  ) throws(FileError) {
    let runs = runs.withLock { $0 }
    try FileError.of("--manifest") { () throws(FileError) in
      let position = OutputPath(self.path, calls: calls)
      var files: [JSONValue] = []
      for part in runs.parts {
        let format = OutputName.format(part.name)
        guard let receipt = try FileReceipt(of: position.neighbour(part.name), as: format, calls: calls) else {
          continue
        }
        files.append(receipt.json(named: part.name))
      }
      if let last, let receipt = try FileReceipt(of: path, as: OutputName.format(last.name), calls: calls) {
        files.append(receipt.json(named: last.name))
      }
      var file = try AtomicFile(position, calls: calls)
      try file.write(json(of: runs.parts + runs.fileless + [last].compactMap { $0 }, files).line)
      try file.finish()
    }
    self.runs.withLock { $0.isWritten = true }
  }

  private func json(of runs: [Part], _ files: [JSONValue]) -> JSONValue {
    let worst = runs.max { Verdict.rank($0.verdict, $0.exitCode) < Verdict.rank($1.verdict, $1.exitCode) }
    return JSONValue(members: [
      ("manifest", JSONValue(Self.form)), ("pagecat", JSONValue(Product.version)),
      ("specs", JSONValue(elements: specs.map { $0.version })),
      ("started", JSONValue(started)), ("verdict", JSONValue((worst?.verdict ?? .complete).rawValue)),
      ("reason", JSONValue(worst.map { runs.count > 1 ? $0.reason.attributed(to: $0.title) : $0.reason } ?? "")),
      ("exit", JSONValue(Int((worst?.exitCode ?? .complete).rawValue))),
      ("marks", JSONValue(members: runs.flatMap(\.marks))),
      ("files", JSONValue(elements: files)),
    ])
  }

  /// Returns the first difference between a manifest and its files; nil if there is none.
  ///
  /// - Throws: `FileError` if there is no such manifest, or if a file can't be read.
  package static func firstDifference(_ path: String) throws(FileError) -> String? {
    guard let text = try AtomicFile.contents(of: OutputPath(path), calls: .system, upTo: limit) else {
      throw .failed("cannot open '\(path)': there is no such file")
    }
    guard let json = try? JSONValue(parsing: text), json["manifest"]?.integer == form, let files = json["files"],
      files.kind == .array
    else { return "'\(path.printable)' is not a manifest of this version of pagecat" }
    guard json["exit"]?.integer == 0 else {
      let (verdict, reason) = (json["verdict"]?.string ?? "", json["reason"]?.string ?? "")
      return
        "the verdict of the run that wrote the files is '\(verdict.printable)'\(reason.isEmpty ? "" : " (\(reason.printable))")"
    }
    for file in files.elements {
      guard let name = file["name"]?.string, let bytes = file["bytes"]?.integer,
        let records = file["records"]?.integer, let sha256 = file["sha256"]?.string
      else { return "'\(path.printable)' has a file without name, records, bytes and sha256" }
      guard isBelow(name) else { return "'\(name.printable)' is not the path of a file below the manifest's folder" }
      let shown = "'\(name.printable)'"
      guard let found = try FileReceipt(of: OutputPath(path).neighbour(name), as: OutputName.format(name)) else {
        return "\(shown) is missing"
      }
      if found.bytes != bytes { return "\(shown) has \(found.bytes) bytes, and the manifest says \(bytes)" }
      if found.records != records {
        return "\(shown) has \(found.records.counted("record")), and the manifest says \(records)"
      }
      if found.sha256 != sha256 {
        return "\(shown) has other bytes than the manifest says: its SHA-256 is \(found.sha256)"
      }
    }
    return nil
  }

  /// True for a path that can't lead out of its folder.
  private static func isBelow(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix("/") && !name.utf8.contains(0)
      && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !["", ".", ".."].contains($0) }
  }
}

extension Spec {
  /// Name and hash of the spec.
  fileprivate var version: JSONValue {
    JSONValue(members: [("name", JSONValue(name)), ("sha256", JSONValue(SHA256.hash(source.bytes).hexadecimal))])
  }
}

extension FileReceipt {
  fileprivate func json(named name: String) -> JSONValue {
    JSONValue(members: [
      ("name", JSONValue(name)), ("records", JSONValue(records)), ("bytes", JSONValue(bytes)),
      ("sha256", JSONValue(sha256)),
    ])
  }
}
