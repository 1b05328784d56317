// Scheme, host and port: what secrets are bound to (RFC 6454 §4), and resolution of references (RFC 3986 §5).

package import FoundationEssentials

/// The origin of a URL: scheme and host in lower case, the port always a number.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  package let scheme: String
  package let host: String
  package let port: Int

  package init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// The origin of an absolute http or https URL, or nil.
  package init?(of url: String) { fatalError("unimplemented") }

  /// `https://example.com`, with the port only where it is not the scheme's own.
  package var description: String { fatalError("unimplemented") }

  /// Whether the host is a loopback, private or link-local address, or a name for loopback (`localhost`). Numeric
  /// forms that resolvers take (`127.1`, `0x7f000001`, `[::ffff:10.0.0.1]`) count too.
  package var isPrivate: Bool { fatalError("unimplemented") }
}

/// The absolute URL that a reference means, seen from a base URL (RFC 3986 §5.2), without fragment. What is already
/// percent-encoded stays as it is; characters that may not stand in a URL are percent-encoded once. Nil when the
/// result is not an absolute http or https URL with a host.
package func resolve(_ reference: String, against base: String?) -> String? { fatalError("unimplemented") }
