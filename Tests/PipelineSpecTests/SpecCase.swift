// Specs with marks: `«` and `»` stand around the bytes that a mistake must point at.

import Diagnostics
import JSONText
import PipelineSpec
import Testing

/// A spec that is wrong, marked where, and what must be said: `message` or `message | advice`, in the order of places.
struct Wrong: CustomTestStringConvertible, Sendable {
  let text: String
  let messages: [String]

  init(_ text: String, _ messages: String...) {
    self.text = text
    self.messages = messages
  }

  /// A job of one line behind an endpoint.
  static func job(_ line: String, _ messages: String...) -> Wrong {
    Wrong(text: "params: { p: a }\nendpoint: https://h/x\n\(line)", messages: messages)
  }

  /// A job that reads records, with that line in it.
  static func perRecord(_ line: String, _ messages: String...) -> Wrong {
    Wrong(text: "endpoint: https://h/${input.id}\n\(line)", messages: messages)
  }

  init(_ text: String, messages: [String]) {
    self.init(text: text, messages: messages)
  }

  private init(text: String, messages: [String]) {
    self.text = text
    self.messages = messages
  }

  var testDescription: String { text }

  /// The text without its marks, and the bytes that were marked.
  var parts: (source: SourceText, ranges: [Range<Int>]) {
    var bytes: [UInt8] = []
    var starts: [Int] = []
    var ranges: [Range<Int>] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      case "«": starts.append(bytes.count)
      case "»": ranges.append(starts.removeLast()..<bytes.count)
      default: bytes += Array(String(scalar).utf8)
      }
    }
    return (SourceText(name: "dir/file.yaml", bytes: bytes), ranges.sorted { $0.lowerBound < $1.lowerBound })
  }

  func check(_ location: SourceLocation = #_sourceLocation) {
    let (source, ranges) = parts
    do throws(DiagnosticList) {
      let spec = try Spec(reading: source)
      Issue.record("no mistake found in \(spec)", sourceLocation: location)
    } catch {
      #expect(error.all.map(\.range) == ranges, "\(error.rendered)", sourceLocation: location)
      let found = zip(error.all, messages + Array(repeating: "", count: error.all.count)).map { mistake, wanted in
        wanted.contains(" | ") ? "\(mistake.message) | \(mistake.advice ?? "")" : mistake.message
      }
      #expect(found == messages, sourceLocation: location)
    }
  }
}

/// Reads a spec that is right.
func spec(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> Spec {
  do throws(DiagnosticList) {
    return try Spec(reading: SourceText(name: "dir/file.yaml", bytes: Array(text.utf8)))
  } catch {
    Issue.record("\(error.rendered)", sourceLocation: location)
    throw error
  }
}

/// The only job of a spec that is right.
func job(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> Job {
  try #require(spec(text, location).jobs.first)
}

extension Template {
  /// The template as it could have been written, for short expectations.
  var written: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .hole(let hole): hole.spelling
      }
    }.joined()
  }
}

extension TemplateValue {
  var written: String {
    switch self {
    case .constant(let value, let spelling): value.text == spelling ? spelling : "\(value.text)=\(spelling)"
    case .string(let template): "'\(template.written)'"
    case .list(let values): "[\(values.map(\.written).joined(separator: ","))]"
    case .map(let members): "{\(members.map { "\($0.name):\($0.value.written)" }.joined(separator: ","))}"
    }
  }
}
