import Synchronization
import Wire

/// The number under which this pagecat goes.
package enum Product {
  package static let version = "0.1.0"
  static let userAgent = "pagecat/\(version)"
}
