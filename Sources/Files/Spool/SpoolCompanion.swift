/// Data about spooled bytes that takes memory as the bytes do; the spool may drop it.
package protocol SpoolCompanion: Sendable {
  /// Size in bytes.
  var size: Int { get }
}
