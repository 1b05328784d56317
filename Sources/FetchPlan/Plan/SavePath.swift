// The path of a saved file: the spec's own path, with values that can't lead out of it.

package import JSONText
package import PipelineSpec
import Primitives
package import Wire

/// Names of folders and, at the end, of a file, below the folder of all downloads.
package struct SavePath: Hashable, Sendable {
  package let names: [String]

  /// The path as a record contains it.
  package var text: String { names.joined(separator: "/") }
}

extension JobPlan {
  /// Returns the path of the file of a record's request.
  ///
  /// - Parameters:
  ///   - url: URL of the request; its last segment is the file's name if the path ends with `/`.
  ///   - name: a name in place of that segment, which the server gives.
  package func savePath(
    for record: JSONValue?, _ download: Job.Download, url: Redactable, named name: String? = nil
  ) throws(ParameterError) -> SavePath {
    try SavePath(download.path, url: url, named: name, in: scope(for: record))
  }

  /// Returns the size of a record's file, as the record says it; nil if it says none.
  package func fileSize(of download: Job.Download, for record: JSONValue?) throws(ParameterError) -> Int? {
    guard let template = download.size, let text = try template.text(in: scope(for: record))?.text else { return nil }
    guard let size = Int(text), size >= 0 else {
      throw scope(for: record).fault(template, "'\(text)' is not a number of bytes: name the member that has the size")
    }
    return size
  }

  /// Returns the error for a record whose file can't be saved under its path.
  package func fault(of download: Job.Download, _ problem: String) -> ParameterError {
    scope(for: nil).fault(download.path, problem)
  }
}

extension SavePath {
  init(
    _ template: Template, url: Redactable, named given: String? = nil, in scope: TemplateScope
  ) throws(ParameterError) {
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
    if names.last?.isOpen == true {
      if let given, let flaw = given.flawOfValue {
        throw scope.fault(
          template, "in '\(given.prefix(100))', as the server names the file, \(flaw); give the name in 'to'")
      }
      names[names.count - 1].text = if let given { given } else { try Self.lastSegment(of: url, template, scope) }
    }
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
    // During validation there is no record, and so no URL.
    if scope.isValidation { return "x" }
    let path = String(Substring(url.text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
    // Skip the authority: a URL without a path has no last segment.
    let last = path.slashSeparated.dropFirst(3).last ?? ""
    guard let name = String(validating: last.percentDecoded, as: UTF8.self) else {
      throw scope.fault(
        template, "the last segment of '\(url.redacted)' is not UTF-8, so it can't name a file; give the name in 'to'")
    }
    guard !name.isEmpty else {
      throw scope.fault(template, "'\(url.redacted)' ends with '/', so it can't name a file; give the name in 'to'")
    }
    if let flaw = name.flawOfValue { throw scope.fault(template, "in the last segment of '\(url.redacted)' \(flaw)") }
    return name
  }
}

/// One name of the path during its construction.
private struct PathName {
  var text = ""
  /// The first hole in the name.
  private(set) var hole: Template.Hole?

  /// True if the name must come from the URL.
  var isOpen: Bool { text.isEmpty && hole == nil }

  mutating func add(_ hole: Template.Hole, in scope: TemplateScope) throws(ParameterError) {
    guard let reading = try hole.reading(in: scope) else {
      throw scope.fault(hole, "the value is missing, and a path segment can't be empty; give a default: ${…:-text}")
    }
    let value = try hole.text(of: reading, in: scope).text
    if let flaw = value.flawOfValue { throw scope.fault(hole, "in the value \(flaw)") }
    // The spec's own dot may hide a file, but a dot that an empty value leaves in front may not.
    if self.hole == nil, text.isEmpty, value.isEmpty {
      throw scope.fault(hole, "the value is empty, and the file's name begins with it; give a default: ${…:-text}")
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
  /// The error in a value that is part of a file's name, to follow "in the value".
  fileprivate var flawOfValue: String? {
    if utf8.first == UInt8(ascii: ".") { return "a '.' comes first, which would hide a file or lead elsewhere" }
    for scalar in unicodeScalars {
      if scalar == "/" || scalar == "\\" { return "there is a '\(scalar)', which would lead to another folder" }
      let properties = scalar.properties
      let isControl = [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
      // Bidirectional controls would show the name in another order.
      guard !isControl, !properties.isBidiControl else { return "there is a control character" }
    }
    return nil
  }
}

extension Request {
  /// Makes the request conditional on a change after this time, in Unix seconds.
  package mutating func ask(ifModifiedSince seconds: Int) {
    guard let date = Timestamp(seconds: seconds)?.httpDate else { return }
    fields.set("If-Modified-Since", Redactable(date))
  }
}

// MARK: Names that servers give to files

extension HTTPFields {
  /// The file's name in `Content-Disposition` (RFC 6266 §4.3); nil if there is none, or none that can be read.
  package var fileName: String? {
    guard let field = self["Content-Disposition"] else { return nil }
    let parameters = HTTPFields.parameters(of: field)
    let extended = parameters.first { $0.name == "filename*" }.flatMap { Self.decoded($0.value) }
    let name = (extended ?? parameters.first { $0.name == "filename" }?.value)?.trimmingBlanks ?? ""
    return name.isEmpty || name.contains("\u{FFFD}") ? nil : name
  }

  /// Returns a value with its charset (RFC 8187 §3.2); nil if it has another form.
  private static func decoded(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let bytes = parts[2].percentDecoded
    switch parts[0].lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }
}
