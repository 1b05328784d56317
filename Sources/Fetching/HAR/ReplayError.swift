import JSONText

/// The reason why a recording can't be read, with its name and the JSON path of the problem (exit 2).
package struct ReplayError: Error, Hashable, Sendable {
  package let problem: String
  package init(problem: String) { self.problem = problem }

  /// - Parameters:
  ///   - name: name of the file.
  ///   - place: JSON path of the problem; empty for the whole file.
  init(_ name: String, _ place: String, _ problem: String) {
    self.problem = "'\(name)'\(place.isEmpty ? "" : ", \(place):") \(problem)"
  }

  init(_ name: String, _ error: JSONError) {
    problem = "'\(name)' is no HAR file: at line \(error.line), column \(error.column), \(error.sentence)\(Self.advice)"
  }

  /// The error for a file without a list of entries.
  static func noEntries(_ name: String) -> ReplayError {
    ReplayError(name, "", "has no /log/entries, so it is no HAR file\(advice)")
  }

  static let advice = "; give a recording of '--record', or a browser's"
}
