import Files
import JSONText
import Wire

/// The partial file that remains if a file could not be completed.
package struct InterruptedFile: Sendable {
  package let path: String
  package let part: String
  /// True if there is no older file at the path.
  package let isNew: Bool

  init(_ place: OutputPath, calls: SystemCalls) {
    (path, part) = (place.path, place.part)
    isNew = (try? OutputPath.facts(of: place.path, calls: calls)) == .some(.none)
  }
}
