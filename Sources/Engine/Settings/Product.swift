import Wire

/// The version of pagecat.
package enum Product {
  package static let version = "0.1.0"
  /// Date of the version, for the manual page.
  package static let date = "2026-11-25"
  static let userAgent = "pagecat/\(version)"
}
