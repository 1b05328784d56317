// Formats in which the lines of a file are packed, by its name.

/// A format of files that are made of members, each of which can be decoded by itself.
package protocol FileFormat: Sendable {
  func packer() throws(FileError) -> any FilePacker
  func unpacker() throws(FileError) -> any FileUnpacker
}

/// Packs the bytes of one file.
package protocol FilePacker: AnyObject, Sendable {
  /// Returns packed bytes, perhaps none; those that are missing follow with the next call.
  ///
  /// - Parameter endsMember: true if the member ends after these bytes, so that nothing is missing.
  func pack(_ bytes: [UInt8], endsMember: Bool) -> [UInt8]
}

/// Unpacks the bytes of one file.
package protocol FileUnpacker: AnyObject {
  /// Passes on what the next bytes of the file stand for; returns false if they are damaged.
  func unpack(_ bytes: [UInt8], _ body: (_ unpacked: [UInt8]) throws(FileError) -> Void) throws(FileError) -> Bool
}

/// First bytes of every gzip file (RFC 1952 §2.3.1); no JSON text has them.
package let gzipStart: [UInt8] = [0x1F, 0x8B]
