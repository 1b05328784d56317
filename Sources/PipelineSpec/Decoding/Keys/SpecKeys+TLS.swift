// Keys of `tls`.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let tlsKeys: [Key<Job.TLS>] = [
    Key("certificate", "a path", standard: "none", "the client's certificate (PEM)") { node, tls, decoder in
      tls.certificate = decoder.authValue(node, "a path", advice: nil)
    },
    Key("key", "a path", standard: "the file of `certificate`", "the certificate's private key (PEM, not encrypted)") {
      node, tls, decoder in
      tls.key = decoder.authValue(node, "a path", advice: nil)
    },
    Key("ca", "a path", standard: "the machine's own", "the authorities that are trusted, and no others (PEM)") {
      node, tls, decoder in
      tls.ca = decoder.authValue(node, "a path", advice: nil)
    },
  ]
}

extension NodeDecoder {
  mutating func tls(_ node: Node) -> Job.TLS? {
    var tls = Job.TLS(place: source.place(at: node.range.lowerBound))
    guard let entries = map(node, keys: SpecKeys.tlsKeys, into: &tls) else { return nil }
    if entries.isEmpty { refuse("no file in 'tls'", at: node.range, advice: "write '{ ca: authority.pem }'") }
    if let key = entries.first(where: { $0.key == "key" }), !entries.contains(where: { $0.key == "certificate" }) {
      refuse("'key' without 'certificate'", at: key.keyRange, advice: "add the certificate that the key belongs to")
    }
    return tls
  }
}
