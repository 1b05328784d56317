// The files of `tls` before any request, since libcurl gives no useful message for most mistakes.

import Diagnostics
import Files
import JSONText
import PipelineSpec
import Wire

/// Checks that the files of `tls` can be read, and have the right content.
///
/// No message quotes the content of these files.
struct TLSFileCheck {
  let tls: Job.TLS
  let files: TLSFiles
  let specName: String
  /// Size of the largest file; all authorities of the web together have some 200 KB.
  private static let mostBytes = 16 << 20

  /// An error for each file that can't be used.
  var complaints: [String] {
    [
      complaint(tls.certificate, files.certificate, "CERTIFICATE-----", "certificate"),
      complaint(tls.key, files.key, "PRIVATE KEY-----", "private key"),
      complaint(tls.ca, files.ca, "CERTIFICATE-----", "certificate"),
      files.key == nil ? complaint(tls.certificate, files.certificate, "PRIVATE KEY-----", "private key") : nil,
    ].compactMap { $0 }
  }

  private func complaint(_ template: Template?, _ path: String?, _ mark: String, _ noun: String) -> String? {
    guard let template, let path else { return nil }
    let place = "\(specName):\(template.place): error:"
    let text: String
    do {
      // A file that is missing or out of reach is an error of opening it.
      if let facts = try? OutputPath.facts(of: path, calls: .system) {
        guard facts.kind == .regular else {
          return "\(place) '\(path.printable)' is no regular file: give one, since it is read for each connection"
        }
        guard facts.size <= Self.mostBytes else {
          return "\(place) '\(path.printable)' has more than \(Self.mostBytes >> 20) MB"
        }
      }
      text = String(decoding: try Input(path: path).readAll(), as: UTF8.self)
    } catch {
      return "\(place) \(error.problem)"
    }
    guard text.contains("-----BEGIN "), text.contains(mark) else {
      return "\(place) '\(path.printable)' has no \(noun) in PEM ('-----BEGIN …')"
    }
    let isEncrypted = text.contains("ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
    return mark == "PRIVATE KEY-----" && isEncrypted
      ? "\(place) the private key in '\(path.printable)' is encrypted: write it without a passphrase, e.g. with "
        + "'openssl pkey', and let only yourself read it" : nil
  }
}
