// Where a file is saved: the spec's own path, with values that can't lead out of it.

package import JSONText
package import PipelineSpec
import Primitives
package import Wire

/// Names of folders and, at the end, of a file, below the folder of all downloads.
package struct SavePath: Hashable, Sendable {
  package let names: [String]

  /// As a record has it.
  package var text: String { names.joined(separator: "/") }
}

extension JobPlan {
  /// Where the file of a record's request is saved.
  ///
  /// - Parameter url: where the request goes, whose last segment is the file's name when the path ends with `/`.
  package func savePath(
    for record: JSONValue?, _ download: Job.Download, url: Redactable
  ) throws(ParameterError) -> SavePath {
    try SavePath(download.path, url: url, in: scope(for: record))
  }

  /// The fault of a record whose file can't be saved under its path.
  package func fault(of download: Job.Download, _ problem: String) -> ParameterError {
    scope(for: nil).fault(download.path, problem)
  }
}

extension SavePath {
  init(_ template: Template, url: Redactable, in scope: TemplateScope) throws(ParameterError) {
    var names = [PathName()]
    for piece in template.pieces {
      switch piece {
      case .text(let text):
        for (index, part) in text.slashSeparated.enumerated() {
          if index > 0 { names.append(PathName()) }
          names[names.count - 1].text += part
        }
      case .hole(let hole):
        try names[names.count - 1].add(hole, in: scope)
      }
    }
    if names.last?.isOpen == true { names[names.count - 1].text = try Self.lastSegment(of: url, template, scope) }
    var checked: [String] = []
    for name in names where name.text != "." || name.hole != nil {
      if let flaw = name.flaw { throw name.hole.map { scope.fault($0, flaw) } ?? scope.fault(template, flaw) }
      checked.append(name.text)
    }
    self.names = checked
  }

  private static func lastSegment(
    of url: Redactable, _ template: Template, _ scope: TemplateScope
  ) throws(ParameterError) -> String {
    // What stands for a record before there is one has no URL either.
    if scope.isValidation { return "x" }
    let path = String(Substring(url.text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
    // Behind the authority: a URL without a path has no last segment.
    let last = path.slashSeparated.dropFirst(3).last ?? ""
    guard let name = String(validating: last.percentDecoded, as: UTF8.self) else {
      throw scope.fault(template, "the last segment of '\(url.redacted)' is no UTF-8, so it can't name a file")
    }
    guard !name.isEmpty else {
      throw scope.fault(template, "'\(url.redacted)' ends with '/', so it can't name a file")
    }
    if let flaw = name.flawOfValue { throw scope.fault(template, "in the last segment of '\(url.redacted)' \(flaw)") }
    return name
  }
}

/// One name while it is put together.
private struct PathName {
  var text = ""
  /// The first value in it.
  private(set) var hole: Template.Hole?

  /// Whether the URL has to say it.
  var isOpen: Bool { text.isEmpty && hole == nil }

  mutating func add(_ hole: Template.Hole, in scope: TemplateScope) throws(ParameterError) {
    guard let reading = try hole.reading(in: scope) else {
      throw scope.fault(hole, "it is missing, and no path can do without it")
    }
    let value = try hole.text(of: reading, in: scope).text
    if let flaw = value.flawOfValue { throw scope.fault(hole, "in the value \(flaw)") }
    // The spec's own dot hides a file; one that a missing piece leaves in front does not.
    if self.hole == nil, text.isEmpty, value.isEmpty {
      throw scope.fault(hole, "it is empty, and a name begins with it")
    }
    self.hole = self.hole ?? hole
    text += value
  }

  var flaw: String? {
    if text == "." || text == ".." { return "it makes the name '\(text)', which leads elsewhere" }
    if text.utf8.count > 255 { return "it makes a name of \(text.utf8.count) bytes; file systems take 255 at most" }
    return nil
  }
}

extension String {
  /// What is wrong with a value that is a piece of a file's name, to follow "in the value".
  fileprivate var flawOfValue: String? {
    if utf8.first == UInt8(ascii: ".") { return "a '.' comes first, which would hide a file or lead elsewhere" }
    for scalar in unicodeScalars {
      if scalar == "/" || scalar == "\\" { return "there is a '\(scalar)', which would lead to another folder" }
      let properties = scalar.properties
      let isControl = [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
      // Letters in another order than they are written make another name of it.
      guard !isControl, !properties.isBidiControl else { return "there is a control character" }
    }
    return nil
  }
}

extension Request {
  /// Asks for a file only if it was changed after that, in Unix seconds.
  package mutating func ask(ifModifiedSince seconds: Int) {
    guard let date = Timestamp(seconds: seconds)?.httpDate else { return }
    fields.set("If-Modified-Since", Redactable(date))
  }
}
