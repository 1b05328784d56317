// Decodes `download`.

internal import Diagnostics
import JSONText
import YAMLText

extension NodeDecoder {
  mutating func download(_ node: Node, into job: inout Job) {
    var draft = DownloadDraft()
    guard let entries = map(node, keys: SpecKeys.downloadKeys, into: &draft) else { return }
    for name in ["url", "to"] where !entries.contains(where: { $0.key == name }) && !suggested.contains(name) {
      refuse("no '\(name)' in 'download'", at: node.range, advice: "write '{ url: \"${record.url}\", to: photos/ }'")
    }
    if let url = draft.url { job.endpoint = url }
    job.download = draft.path.map { Job.Download(path: $0) }
  }

  /// Returns the path of a saved file; values of its templates are checked when they are known.
  mutating func savePath(_ node: Node) -> Template? {
    let advice = "write 'photos/', or 'photos/${record.id}.jpg'"
    guard let template = template(node, .request, expected: "a path below '--dir'", advice: advice) else { return nil }
    // A hole is one whole piece of a name, so any letter can replace it here.
    let shape = template.pieces.map { piece in
      if case .text(let text) = piece { text } else { "x" }
    }.joined()
    guard let flaw = Self.flaw(ofPath: shape) else { return template }
    refuse(flaw.message, at: node.range, advice: flaw.advice)
    return nil
  }

  private static func flaw(ofPath path: String) -> (message: String, advice: String)? {
    let names = path.slashSeparated
    if path.isEmpty { return ("an empty path", "write './' for the folder itself, where the URL gives the name") }
    if path.utf8.first == UInt8(ascii: "/") {
      return ("an absolute path in 'to'", "leave the first '/' out: files are saved below the folder of '--dir'")
    }
    if names.contains("..") { return ("'..' in 'to'", "leave it out: files are saved below the folder of '--dir'") }
    if names.last == "." { return ("'to' ends with '.'", "write './' for the folder itself") }
    if names.dropLast().contains("") { return ("two '/' in a row", "write one") }
    if path.unicodeScalars.contains(where: { $0 == "\\" || $0.properties.generalCategory == .control }) {
      return ("a '\\' or a control character in a path", "folders are separated by '/'")
    }
    if names.contains(where: { $0.utf8.count > 255 }) {
      return ("a name of more than 255 bytes", "write a shorter name: file systems take no more")
    }
    return nil
  }
}
