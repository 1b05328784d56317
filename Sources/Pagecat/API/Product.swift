import Wire

/// The version of pagecat.
package enum Product {
  package static let version = "0.1.0"
  static let userAgent = "pagecat/\(version)"
}
