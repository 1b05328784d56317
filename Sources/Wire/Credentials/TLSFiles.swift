/// Files for connections by TLS, and the origins to which they apply.
package struct TLSFiles: Sendable, Hashable {
  /// Path of the client's certificates.
  package let certificate: String?
  /// Path of the private key.
  package let key: String?
  /// Path of the authorities that are trusted.
  package let ca: String?
  package let origins: Set<Origin>

  package init(certificate: String?, key: String?, ca: String?, origins: Set<Origin>) {
    self.certificate = certificate
    self.key = key
    self.ca = ca
    self.origins = origins
  }
}

extension Request {
  /// The files for a connection to the request's origin; nil if it has none of its own.
  package var ownTLSFiles: TLSFiles? {
    guard let tlsFiles, let origin = Origin(of: url.text), tlsFiles.origins.contains(origin) else { return nil }
    return tlsFiles
  }
}
