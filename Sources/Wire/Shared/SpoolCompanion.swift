import Synchronization

/// What is known of bytes that wait, and takes memory as they do. It may be lost on the way.
package protocol SpoolCompanion: Sendable {
  /// In bytes.
  var size: Int { get }
}
