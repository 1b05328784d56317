// `--manifest`: the receipt of an export, by which a reader tells a whole set of files, and `pagecat verify`.

import Diagnostics
package import Files
package import JSONText

/// The files of an export, and what is known of the run that wrote them.
package struct ExportManifest: Sendable {
  /// A file of the export.
  package struct Entry: Sendable {
    /// Path from the manifest's folder.
    package let name: String
    package let receipt: FileReceipt

    package init(name: String, receipt: FileReceipt) { (self.name, self.receipt) = (name, receipt) }
  }

  /// Version of the manifest's form.
  private static let form = 1
  /// Most bytes of a manifest that is read.
  private static let limit = 64 << 20

  /// Returns the manifest of `-o FILE`.
  package static func path(of file: String) -> String { file + ".manifest.json" }

  /// Returns the manifest's text.
  ///
  /// - Parameter run: members about the run.
  package static func json(_ entries: [Entry], run: [(name: String, value: JSONValue)]) -> JSONValue {
    let files = entries.map { entry in
      JSONValue(members: [
        ("name", JSONValue(entry.name)), ("records", JSONValue(entry.receipt.records)),
        ("bytes", JSONValue(entry.receipt.bytes)), ("sha256", JSONValue(entry.receipt.sha256)),
      ])
    }
    return JSONValue(
      members: [(name: "manifest", value: JSONValue(form))] + run + [("files", JSONValue(elements: files))])
  }

  /// Writes a manifest in one step.
  package static func write(_ manifest: JSONValue, to path: String, calls: SystemCalls = .system) throws(FileError) {
    try FileError.of("--manifest") { () throws(FileError) in
      var file = try AtomicFile(OutputPath(path, calls: calls), calls: calls)
      try file.write(manifest.line)
      try file.finish()
    }
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
