// What the name of FILE promises: gzip, or a format that only recipes make.

import Diagnostics
import Fetching
package import Files
import Primitives

/// What the name of an output promises.
package enum OutputName {
  /// Recipes that make a format, by the end of the name.
  private static let recipes = [
    "parquet": "pipelines/load/parquet makes it of an export in NDJSON",
    "csv": "pipelines/load/miller makes it of an export in NDJSON",
    "tsv": "pipelines/load/miller makes CSV of an export in NDJSON, and 'mlr --c2t cat' makes TSV of CSV",
    "xlsx": "pipelines/load/duckdb loads an export in NDJSON, and DuckDB writes the table as XLSX",
    "zst": "'zstd' compresses an export in NDJSON; for a name that ends in '.gz', pagecat compresses the export itself",
  ]

  /// Returns the format that a name promises; nil for lines as they are.
  package static func format(_ path: String) -> (any FileFormat)? {
    path.lowercased().hasSuffix(".gz") ? GzipFormat() : nil
  }

  /// Returns the reason why no file with this name is written; nil if the name promises lines, or gzip.
  static func refusal(_ path: String, of option: String) -> String? {
    let shown = "'\(path.printable)'"
    if let scheme = scheme(of: path) {
      let way = scheme == "s3" ? "pipelines/load/s3 copies it" : "copy it"
      return "\(shown) is a URL, and '\(option)' writes a file: give a path, and \(way) when the file is complete"
    }
    if option != "-o", format(path) != nil {
      return "\(shown) promises gzip, which only '-o' writes: give '\(option)' a name without '.gz'"
    }
    let name = String(path.split(separator: "/").last ?? "")
    guard let dot = name.lastIndex(of: "."), case let end = name[name.index(after: dot)...].lowercased(),
      let recipe = recipes[end]
    else { return nil }
    let other = String(name[..<dot]).printable
    return "\(shown) promises .\(end), and '\(option)' writes NDJSON: give a name such as "
      + "'\(other.hasSuffix(".ndjson") ? other : other + ".ndjson")'; \(recipe)"
  }

  private static func scheme(of path: String) -> String? {
    guard let end = path.firstRange(of: "://") else { return nil }
    let scheme = String(path[..<end.lowerBound])
    return !scheme.isEmpty && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      ? scheme.lowercased() : nil
  }
}

extension Destination {
  /// Format that the name of FILE promises; nil if FILE has the lines as they are.
  var format: (any FileFormat)? { path.flatMap(OutputName.format) }

  /// Checks that FILE, to which a member is appended, has the format that its name promises.
  func checkFormat() throws(SpecError) {
    guard isAppended, format != nil, let path else { return }
    guard let file = try? InputReader(path: OutputPath(path, calls: calls).path, calls: calls) else { return }
    var start: [UInt8] = [0, 0]
    guard let count = try? file.read(into: &start), count > 0, start != gzipStart else { return }
    throw SpecError(messages: [
      "'\(path.printable)' is not a gzip file, and its name says that it is: rename it, or compress it with 'gzip'"
    ])
  }
}
