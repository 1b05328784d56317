package import Diagnostics

extension Job {
  /// `tls`: the files with which connections to the job's own origin are made.
  package struct TLS: Hashable, Sendable {
    /// Certificates of the client, in PEM.
    package var certificate: Template?
    /// Private key of the certificate; nil if it is in the same file.
    package var key: Template?
    /// Certificates of the authorities that are trusted.
    package var ca: Template?
    package let place: SourcePosition
    /// URL of the origin that the files are for.
    ///
    /// It is the file's `base` for a `tls` beside `steps`, and nil for the job's own endpoint.
    package var base: Template?

    package init(place: SourcePosition) {
      self.place = place
    }

    package var templates: [Template] { [certificate, key, ca].compactMap { $0 } }
  }
}
