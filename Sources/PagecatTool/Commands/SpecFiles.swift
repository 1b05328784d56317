// Spec files by name: reading them with all errors at once, and reporting on them without running them.

import RequestPreview
import Engine
import Diagnostics
import PipelineSpec
import Primitives

enum SpecFiles {
  /// Reads every file before it reports errors in any.
  static func read(_ paths: [String], _ input: Input) throws -> [Spec] {
    var specs: [Spec] = []
    var messages: [String] = []
    for path in paths {
      do {
        specs.append(try Spec(path: path, input: input))
      } catch let error as SpecError {
        messages += error.messages.map { withAdvice($0, path) }
      }
    }
    if !messages.isEmpty { throw SpecError(messages: messages) }
    return specs
  }

  /// Adds a suggestion, since `pagecat chekc` parses as the name of a spec, but may be meant as a command.
  private static func withAdvice(_ message: String, _ path: String) -> String {
    guard message.hasPrefix("cannot open") else { return message }
    if path.contains("://") {
      return "'\(path.printable)' is a URL: 'pagecat URL' fetches it, and 'pagecat new URL' writes a spec for it"
    }
    if ["curl", "wget"].contains(path) {
      return
        "'\(path)' is not a command of pagecat: 'pagecat new -- curl URL …' writes a spec for what curl would request"
    }
    if let command = nearest(to: path, in: Command.all.map(\.name)) {
      return "\(message); did you mean the command '\(command)'?"
    }
    if let url = likelyURL(path) { return "\(message); for a spec of a URL, run 'pagecat new \(url.printable)'" }
    return isPlain(path) ? "\(message); it is no command either: see 'pagecat --help'" : message
  }

  /// True for a name without folder and extension, which is more likely a command than a file.
  static func isPlain(_ path: String) -> Bool { !path.contains("/") && !path.contains(".") }

  /// Returns the URL that was probably meant: `example.com/x`, `127.0.0.1:80/x`.
  private static func likelyURL(_ path: String) -> String? {
    let host = path.prefix { !"/?".contains($0) }
    let name = host.prefix { $0 != ":" }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = name.utf8.allSatisfy { $0.isLetterOrDigit || "-.".utf8.contains($0) }
    let isAddress = labels.count == 4 && labels.allSatisfy { UInt8($0) != nil } || name == "localhost"
    let isName = labels.count > 1 && labels.allSatisfy { !$0.isEmpty } && (labels.last?.count ?? 0) > 1
    // `a.yaml` and `my.spec.yaml` are files.
    let isHost = labels.count > 2 && !fileExtensions.contains(labels.last?.lowercased() ?? "")
    guard isPlain, isAddress || isName, isHost || host.count < path.count || host.count > name.count else { return nil }
    return (isAddress ? "http://" : "https://") + path
  }

  private static let fileExtensions: Set = ["yaml", "yml", "json", "ndjson", "jsonl", "har", "gz", "txt", "md", "csv"]

  /// Returns the error for `--stream` beside specs without streams.
  static func withoutStreams(_ name: String, _ paths: [String]) -> UsageError {
    let files = paths.count > 1 ? "several SPECs have no streams" : "the SPEC has no 'streams'"
    return UsageError(message: "--stream \(name.printable): \(files): leave --stream out")
  }

  /// Returns which streams `--append` adds to, if it does not replace all.
  private static func appended(_ spec: Spec) -> String {
    let added = spec.streams.filter { $0.jobs.contains(where: \.hasOwnMark) }
    guard !added.isEmpty else { return "" }
    func names(_ streams: [Spec.Stream]) -> String { streams.map(\.name).joined(separator: ", ") }
    let others = spec.streams.filter { stream in !added.contains { $0.name == stream.name } }
    let rest = others.isEmpty ? "" : ", and replaces \(names(others))"
    let readers = spec.streams.filter { stream in added.contains { $0.name == stream.source } }
    let refused = readers.map { "  --append and --state refuse \($0.name), which reads \($0.source ?? "")\n" }
    return "  --append adds what is new to \(names(added))\(rest)\n" + refused.joined()
  }

  /// Returns `pipelines/space-photos.yaml: ok, 1 step`, the first request of each job, the origins that get the values of environment variables, and
  /// warnings.
  static func report(_ spec: Spec) -> String {
    let isOne = spec.streams.isEmpty
    let count = isOne ? spec.jobs.count : spec.streams.count
    var text = "\(spec.name.printable): ok, \(count.counted(isOne ? "step" : "stream"))\n"
    for (job, request) in spec.firstRequests {
      let source = spec.streams.first { $0.jobs.first?.name == job }?.source.map { " of \($0)" } ?? ""
      text += "  \(job.printable)\(source): \(request.printable)\n"
    }
    text += appended(spec)
    for (name, origins) in spec.environmentDestinations {
      let reference = Template.Hole.file(ofVariable: name).map { "file.\($0)" } ?? "env.\(name)"
      text += "  ${\(reference)} goes to \(origins.joined(separator: ", "))\n"
    }
    for doubt in spec.allDoubts { text += "  \(doubt.text(in: spec.name).printable)\n" }
    return text
  }
}
