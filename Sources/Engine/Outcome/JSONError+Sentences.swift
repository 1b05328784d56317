// Messages about unexpected content: the value that was found, and a remedy.

import Diagnostics
import JSONText
import Primitives
import Wire

/// Returns the start of a body, at most 512 bytes, safe to print on one line.
package func quoted(_ text: String) -> String {
  String(decoding: Array(text.utf8).prefix(512), as: UTF8.self).printable
}

extension JSONError {
  /// Returns the message; leaves out the surrounding text if that would show a secret.
  func rendered(hiding secrets: SecretStore) -> String {
    guard secrets.isShown(in: String(decoding: before + after, as: UTF8.self)) else { return rendered.printableLines }
    return "byte \(offset), line \(line), column \(column): \(sentence) (a secret stands there: ***)"
  }

  /// Remedy, if the spec can help.
  var remedy: String {
    guard case .lineTooLong = reason else { return "" }
    return "\n  that is bodyLimit; give a larger one if it may be"
  }
}

extension SecretStore {
  /// Redacts a path name by name, since a search in its text would miss a secret that is escaped there.
  func redacting(_ path: JSONPath) -> JSONPath {
    var masked = path
    masked.steps = path.steps.map { $0.isEvery ? $0 : JSONStep(redacting($0.name)) }
    return masked
  }
}

extension SecretStore {
  /// Redacts a text with quoted names that were cut (`shortName`), also the first half of a secret before a cut.
  func redactingCutNames(_ text: String) -> String {
    let pieces = redacting(text).split(separator: "…'", omittingEmptySubsequences: false).map(String.init)
    return (pieces.dropLast().map { redacting($0, isCut: true) } + pieces.suffix(1)).joined(separator: "…'")
  }
}

/// Returns the value that was found in place of the content, and the key that the author of the spec may have meant.
///
/// - Parameters:
///   - at: the path up to the step that failed.
///   - remedy: advice for content that is the body itself.
func missingReason(
  _ content: JSONPath, _ at: JSONPath, _ available: [String], _ kind: JSONKind,
  remedy: String = "leave contentIdentifier out to take the body itself"
) -> String {
  let depth = at.steps.count
  let subject = depth == 0 ? "the body" : "'\(at.description.printable)'"
  guard kind == .object else {
    return "\(subject) is \(kind.withArticle)" + (depth == 0 ? "; \(remedy)" : "")
  }
  let names = available.map(\.printable)
  return "\(subject): \(keysThatAreThere(names))" + suggestion(content, depth, names)
}

private func suggestion(_ content: JSONPath, _ depth: Int, _ available: [String]) -> String {
  let name = content.steps[depth].name
  // A name with dots, as it is spelled in the body.
  let whole = content.steps[depth...].map(\.name).joined(separator: ".")
  if whole != name, available.contains(whole) {
    let path = JSONPath(content.steps[..<depth] + [JSONStep(member: whole)])
    return "; did you mean '\(path.description.printable)', which is one name?"
  }
  return nearest(to: name, in: available).map { "; did you mean '\($0)'?" } ?? ""
}

/// Returns a hint if a body is XML, or looks like HTML: usually a login page, or an error page of a proxy or server.
func markupHint(_ head: ReplyHead, _ fault: JSONError, hiding secrets: SecretStore) -> String {
  guard isMarkupBody(head, fault) else { return "" }
  let type = secrets.redacting(head.fields["Content-Type"] ?? "")
  let isXML = type.lowercased().contains("xml") || (fault.before + fault.after).starts(with: Array("<?xml".utf8))
  if isXML, !type.lowercased().contains("html") {
    return
      "\n  the answer is XML, which pagecat does not read: ask for JSON, often by 'headers: { Accept: application/json }', "
      + "or by an item such as 'format: json' in 'query'"
  }
  let sent = type.isEmpty ? "markup" : type.printable
  return "\n  the server sent \(sent), most likely a login or an error page: see 'endpoint' and 'auth'"
}

/// Reports that a body looks like HTML.
func isMarkupBody(_ head: ReplyHead, _ fault: JSONError) -> Bool {
  guard fault.offset >= 8 || fault.after.first != UInt8(ascii: "<"), fault.reason != .csv(.markup) else { return true }
  return fault.offset < 8 && head.fields["Content-Type"]?.lowercased().contains("html") == true
}

/// Returns a hint about the part of 'model' that a record does not match, and about optional members.
func modelHint(keyPath: String, found: String) -> String {
  guard ["nothing", "null"].contains(found), !keyPath.isEmpty, !keyPath.hasSuffix("]") else { return " (see 'model')" }
  let name = keyPath.split(separator: ".").last.map(String.init) ?? keyPath
  return " (in 'model', '\(name)?' may be missing or null)"
}

/// Returns a hint about the key of the spec that reads a body of this kind; empty if no key is known.
func kindHint(_ head: ReplyHead, _ fault: JSONError, hiding secrets: SecretStore) -> String {
  if fault.offset < 2, let packing = Request.Packing(of: fault.before + fault.after) {
    switch packing {
    case .gzip: return "\n  the body is a gzip file: 'unpack: gzip' unpacks it"
    case .zip: return "\n  the body is a zip archive: 'unpack: zip' unpacks one that has one file"
    }
  }
  if fault.isHalfLetter, head.fields.charset?.hasPrefix("utf") != false {
    return
      "\n  in UTF-8 and UTF-16, that is half of a letter (a surrogate alone), which only the server can mend; 'download' "
      + "saves the body as it is"
  }
  if let encoding = fault.likelyEncoding {
    let charset = head.fields.charset.flatMap { name in
      name.isCharset && !name.hasPrefix("utf") ? secrets.redacting(name) : nil
    }
    let named = charset.map { "its type names the charset '\($0)', and pagecat reads UTF-8, UTF-16 and latin1: " } ?? ""
    return "\n  \(named)save the file with 'download', and convert it: iconv -f \(charset ?? encoding) -t utf-8"
  }
  if fault.offset == 0, fault.after.first == 0x1E {
    return "\n  each text begins with RS: 'read: sequence' reads such a body (RFC 7464)"
  }
  if case .csv = fault.reason { return "" }
  if fault.reason == .endInsideLetter { return "" }
  let isSequence = fault.before.last.map { "}]".utf8.contains($0) } == true
  let startsValue = fault.after.first.map { byte in
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"), 0x30...0x39: true
    default: false
    }
  }
  let isNewLine = fault.before.last { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") } == UInt8(ascii: "\n")
  if fault.reason == .trailingContent, isNewLine, startsValue == true {
    return "\n  another JSON text follows on a new line: 'read: lines' reads one a line"
  }
  if fault.reason == .trailingContent, isSequence, startsValue == true {
    return "\n  another JSON text follows: 'read: sequence' reads one after the other"
  }
  let type = head.fields["Content-Type"] ?? ""
  guard type.lowercased().contains("csv") else { return "" }
  return "\n  the server sent \(secrets.redacting(type).printable): 'read: csv' reads it"
}

extension JSONError {
  /// True if bytes that are not UTF-8 spell half of a surrogate pair (Unicode 16, table 3-7).
  fileprivate var isHalfLetter: Bool {
    switch reason {
    case .invalidUTF8, .csv(.notUTF8): after.count > 1 && after[0] == 0xED && after[1] >= 0xA0 && after[1] < 0xC0
    default: false
    }
  }

  /// Name, for `iconv`, of the encoding that a text which is not UTF-8 probably has; nil for any other error.
  fileprivate var likelyEncoding: String? {
    switch reason {
    case .invalidUTF8, .csv(.notUTF8): "latin1"
    case .wrongEncoding(let name): name
    default: nil
    }
  }
}

/// Returns `it has 'page', 'coins'` for messages, or a note that the object is empty.
package func keysThatAreThere(_ names: [String]) -> String {
  if names.isEmpty { return "the object is empty" }
  let shown = names.prefix(20).map { "'\($0.printable.shortName)'" }.joined(separator: ", ")
  return "it has " + shown + (names.count > 20 ? ", …" : "")
}

extension String {
  /// True for a text that may be the name of a charset (RFC 2978 §2.3).
  fileprivate var isCharset: Bool {
    (1...40).contains(utf8.count)
      && utf8.allSatisfy { $0.isDigit || (97...122).contains($0) || "-_.:+".utf8.contains($0) }
  }
}
